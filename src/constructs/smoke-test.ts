import { ApiObject } from "cdk8s";
import type { JobSpec, PodSpec } from "cdk8s-plus-27/lib/imports/k8s";
import type { Construct } from "constructs";
import type { SmokeTestSettings } from "../model/cluster/smoke-test";
import { contentHash } from "../model/corefile/hash";
import { names } from "../model/object-names";
import { withoutKeys } from "../model/syntax/mapping";
import { Component } from "./component";
import type { ComponentProps } from "./resolved-cluster";
import type { Plain } from "./plain";
import { configVolume, confined, fieldRef, placement, resources, unprivileged } from "./pod-parts";
import { configMount, configText, nonRoot, program } from "./program";

const name = names.smokeTest;
const labels = { "k8s-app": name } as const;

/**
 * `agent smoke-test`, from the pods' network and from a node's. A Job runs once: its name has a hash of the cluster's
 * DNS, as it is described and as the components beside it apply it, so that each rollout has Jobs of its own, and
 * applying it again changes nothing.
 */
export class SmokeTest extends Component {
  protected readonly stage = "smokeTest";
  /** An account without permissions. */
  readonly serviceAccount: ApiObject;
  /** What is asked; its name ends with a hash of it. */
  readonly configMap: ApiObject;
  /** Headless: the names of the test's own pods. */
  readonly service: ApiObject;
  /** In the pods' network and in a node's. */
  readonly jobs: readonly ApiObject[];

  /** @throws Error with everything that is wrong with the props, or if there is no `smokeTest`. */
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id, props);
    const settings = this.needed(this.cluster.components.smokeTest, "has nothing to ask; set smokeTest: true");
    const { families } = this.cluster;
    this.serviceAccount = this.add("ServiceAccount", { metadata: { name }, automountServiceAccountToken: false });
    const config = configText(settings.config);
    this.configMap = this.addHashedConfigMap(name, labels, "config.json", config);
    this.service = this.add("Service", {
      metadata: { name, labels },
      spec: {
        clusterIP: "None",
        ipFamilies: families,
        ipFamilyPolicy: families.length === 2 ? "RequireDualStack" : "SingleStack",
        // Jobs' pods are never ready for long.
        publishNotReadyAddresses: true,
        selector: labels,
        ports: [{ name: "none", port: 9, protocol: "TCP", targetPort: 9 }],
      },
    });
    const specs = {
      [name]: jobSpec(this.podTemplate("pod", settings), settings),
      [`${name}-host`]: jobSpec(this.podTemplate("host", settings), settings),
    };
    const hash = contentHash([this.described(), this.tested(), config, specs]);
    this.jobs = Object.entries(specs).map(([prefix, spec]) =>
      this.addHashed("Job", { metadata: { name: `${prefix}-${hash}`, labels }, spec }, ({ spec: of = {} }) =>
        withoutKeys(of, changeable),
      ),
    );
  }

  /** As it is described: other components may be in other charts. What a size decides is in the components. */
  private described(): object {
    const components = { ...this.cluster.components, monitoring: undefined };
    const { said } = this.cluster;
    // Components and questions hold what of its Service they go by.
    return {
      ...this.cluster,
      components,
      annotations: said.annotations,
      ciliumVersion: said.ciliumVersion,
      clusterDNS: said.clusterDNS,
      domain: said.clusterDomain,
      kubeProxyMode: said.kubeProxyMode,
      labels: said.labels,
      trafficDistribution: said.trafficDistribution,
      said: undefined,
      notes: [],
      clients: undefined,
      whyNoCache: undefined,
    };
  }

  private tested(): object[] {
    const others = this.node.scope?.node.children.filter((child) => child instanceof Component && child !== this) ?? [];
    const objects = others.flatMap((component) => component.node.findAll().filter(ApiObject.isApiObject));
    return objects.map((object) => object.toJson() as object);
  }

  private podTemplate(network: Network, settings: SmokeTestSettings) {
    return { metadata: this.labelled(labels), spec: podSpec(network, settings, this.configMap.name) };
  }
}

/** What the API server lets change in a Job that exists. */
const changeable = ["activeDeadlineSeconds", "backoffLimit", "parallelism", "suspend", "ttlSecondsAfterFinished"];

type Network = "pod" | "host";

function jobSpec(template: Plain<JobSpec>["template"], { timeoutSeconds }: SmokeTestSettings): Plain<JobSpec> {
  return {
    parallelism: 1,
    completions: 1,
    // A name that resolves the second time did not resolve.
    backoffLimit: 0,
    activeDeadlineSeconds: timeoutSeconds,
    // An evicted pod has shown nothing.
    podFailurePolicy: {
      rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
    },
    template,
  };
}

function podSpec(network: Network, settings: SmokeTestSettings, configMapName: string): Plain<PodSpec> {
  return {
    restartPolicy: "Never",
    priorityClassName: "system-cluster-critical",
    serviceAccountName: name,
    automountServiceAccountToken: false,
    // As every pod with the cluster's names.
    ...(network === "host"
      ? { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" }
      : { dnsPolicy: "ClusterFirst" }),
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 1,
    securityContext: unprivileged(nonRoot),
    ...placement(settings.placement),
    containers: [
      {
        ...program("smoke-test", settings.image, `--network=${network}`),
        env: [
          { name: "NODE_NAME", valueFrom: fieldRef("spec.nodeName") },
          { name: "POD_NAME", valueFrom: fieldRef("metadata.name") },
          { name: "POD_IPS", valueFrom: fieldRef("status.podIPs") },
        ],
        resources: resources({ requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: "128Mi" } }),
        securityContext: confined([]),
        volumeMounts: [configMount("config")],
      },
    ],
    volumes: [configVolume("config", configMapName, "config.json")],
  };
}
