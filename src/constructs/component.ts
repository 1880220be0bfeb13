import { ApiObject, Chart, JsonPatch } from "cdk8s";
import { Construct } from "constructs";
import type { Cluster } from "../model/cluster/cluster";
import { configHash } from "../model/corefile/hash";
import { differences } from "../model/kubernetes/differences";
import { keep, wave, type Stage } from "../model/gitops/annotations";
import { metricsPortName } from "../model/monitoring/jobs";
import type { NetworkPolicyEgressRule, NetworkPolicyIngressRule } from "../model/network-policies/policy";
import type { MetricsAddress } from "../model/node-programs";
import { commonLabels, namespace as dnsNamespace } from "../model/object-names";
import { tooLarge } from "../model/object-size";
import { kinds, type Fields } from "./kinds";
import { remark, type Remarks } from "./remarks";
import { type ComponentProps, resolvedCluster } from "./resolved-cluster";

type Strings = { readonly [key: string]: string };

export interface Metadata {
  readonly name: string;
  /** @default - the namespace of all objects */
  readonly namespace?: string;
  readonly labels?: Strings;
  readonly annotations?: Strings;
}

/** A part of a cluster's DNS that is deployed as one unit: a folder of `dist/`. */
export abstract class Component extends Construct {
  /** When its workloads are applied. */
  protected abstract readonly stage: Stage;

  /** Whether everything else is applied then, too, and nothing earlier. */
  protected readonly isOfOneStage: boolean = false;

  protected readonly cluster: Cluster;

  /** @throws Error with everything that is wrong with the props. */
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id);
    this.cluster = resolvedCluster(this, props);
    this.node.addValidation({
      validate: () =>
        this.node.children.filter(ApiObject.isApiObject).flatMap((object) => {
          const size = tooLarge(object.toJson());
          return size === undefined ? [] : [`the props make ${size}`];
        }),
    });
  }

  /**
   * The settings of a component that the cluster has.
   * @throws Error with the reason why it has none.
   * @internal
   */
  protected needed<Settings>(settings: Settings | undefined, otherwise: string): Settings {
    if (settings === undefined) throw new Error(`${this.node.path} ${otherwise}`);
    return settings;
  }

  /**
   * Adds an object with the cluster's extra labels and annotations. It is a plain `ApiObject`: the generated classes
   * drop every field that they are too old to know.
   * @internal
   */
  protected add<Kind extends keyof Fields>(
    kind: Kind,
    manifest: Fields[Kind] & { metadata: Metadata },
    remarks?: Remarks,
  ): ApiObject {
    const { apiVersion, isClusterScoped = false, stage: ofKind } = kinds[kind];
    const stage = this.isOfOneStage ? this.stage : (ofKind ?? this.stage);
    const { metadata, ...fields } = manifest;
    const { name, namespace = dnsNamespace, labels, annotations } = metadata;
    claim(this, `${apiVersion} ${kind} ${isClusterScoped ? "" : namespace}/${name}`);
    const object = new ApiObject(this, `${kind}-${name}`, {
      apiVersion,
      kind,
      metadata: {
        name,
        ...(isClusterScoped ? {} : { namespace }),
        ...this.labelled(labels, { ...wave(stage), ...annotations }),
      },
      ...fields,
    });
    if (remarks) remark(object, remarks);
    // A chart sets its namespace even on objects that cannot have one.
    if (isClusterScoped && object.chart.namespace) object.addJsonPatch(JsonPatch.remove("/metadata/namespace"));
    return object;
  }

  /**
   * Adds an immutable ConfigMap named after the hash of its content. A changed configuration rolls the pods; if the new
   * ones fail, the old ones keep serving. GitOps controllers keep it after it leaves the repository, because a pod that
   * still uses it needs it when its node restarts.
   * @param beside Other files.
   * @internal
   */
  protected addHashedConfigMap(
    name: string,
    labels: Strings,
    key: string,
    text: string,
    beside: Strings = {},
  ): ApiObject {
    const hash = configHash([text, ...Object.values(beside)].join("\n"));
    const data = { [key]: text, ...beside };
    return this.addHashed(
      "ConfigMap",
      { metadata: { name: `${name}-${hash}`, labels, annotations: keep }, immutable: true, data },
      ({ immutable, data: texts, binaryData }) => ({ immutable, texts, binaryData }),
    );
  }

  /**
   * Adds an object that has a hash in its name, because what it holds cannot change: a patch of that is refused.
   * @internal
   */
  protected addHashed<Kind extends keyof Fields>(
    kind: Kind,
    manifest: Fields[Kind] & { metadata: Metadata },
    contents: (fields: Fields[Kind]) => object,
  ): ApiObject {
    const object = this.add(kind, manifest);
    const fixed = (of: typeof manifest) => ({
      name: of.metadata.name,
      namespace: of.metadata.namespace ?? dnsNamespace,
      ...contents(of),
    });
    this.node.addValidation({
      validate: () =>
        differences(fixed(manifest), fixed(object.toJson() as typeof manifest)).length === 0
          ? []
          : [
              `${kind} ${object.name} has the hash of its contents in its name, and a patch changes them; say it with the props`,
            ],
    });
    return object;
  }

  /**
   * Adds a role, and its binding to the account that has the same name but for `system:`.
   * @internal
   */
  protected addRole(
    kind: "ClusterRole" | "Role",
    account: string,
    rules: Fields["Role"]["rules"],
  ): [role: ApiObject, binding: ApiObject] {
    const name = kind === "ClusterRole" ? `system:${account}` : account;
    const binding = {
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
      subjects: [{ kind: "ServiceAccount", name: account, namespace: dnsNamespace }],
    };
    return [this.add(kind, { metadata: { name }, rules }), this.add(`${kind}Binding`, binding)];
  }

  /**
   * Adds a Service without an address, so that Prometheus finds the metrics of pods.
   * @internal
   */
  protected addMetricsService(name: string, labels: Strings, port: number): ApiObject {
    return this.add("Service", {
      metadata: { name, labels },
      spec: {
        type: "ClusterIP",
        clusterIP: "None",
        selector: labels,
        ports: [{ name: metricsPortName, port, protocol: "TCP", targetPort: port }],
      },
    });
  }

  /**
   * Adds a network policy for pods with these labels: whatever its rules do not allow is denied. Without `ingress`,
   * nobody may connect; the API server drops an empty list, which would make each apply a change.
   * @internal
   */
  protected addNetworkPolicy(
    name: string,
    labels: Strings,
    rules: {
      readonly ingress?: readonly NetworkPolicyIngressRule[];
      readonly egress: readonly NetworkPolicyEgressRule[];
    },
  ): ApiObject {
    return this.add("NetworkPolicy", {
      metadata: { name, labels },
      spec: { podSelector: { matchLabels: labels }, policyTypes: ["Ingress", "Egress"], ...rules },
    });
  }

  /**
   * Annotations that let Prometheus discover metrics of pods and Services if nothing else does; none if it cannot reach
   * them.
   * @internal
   */
  protected scraped(port: number, at: MetricsAddress = "node"): Strings {
    if (at === "loopback" || !this.cluster.isAnnotatedForScraping) return {};
    return { "prometheus.io/port": String(port), "prometheus.io/scrape": "true" };
  }

  /**
   * Labels and annotations of an object or a pod template: the common ones, the cluster's extra ones, then its own.
   * @internal
   */
  protected labelled(
    ownLabels: Strings = {},
    ownAnnotations: Strings = {},
  ): { labels: Strings; annotations?: Strings } {
    const annotations = { ...this.cluster.said.annotations, ...ownAnnotations };
    return {
      labels: { ...commonLabels, ...this.cluster.said.labels, ...ownLabels },
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    };
  }
}

/** Which construct added which object to a chart. */
const claims = new WeakMap<Chart, Map<string, string>>();

/** @throws Error if the chart already has the object: the second apply would silently overwrite the first. */
function claim(construct: Construct, identity: string): void {
  const chart = Chart.of(construct);
  const owners = claims.get(chart) ?? new Map<string, string>();
  claims.set(chart, owners);
  const owner = owners.get(identity);
  if (owner !== undefined)
    throw new Error(
      `${construct.node.path} adds ${identity}, which ${owner} already added; keep one of the two in a chart`,
    );
  owners.set(identity, construct.node.path);
}
