import type { ApiObject } from "cdk8s";
import type { Container, PodSpec, PolicyRule } from "cdk8s-plus-27/lib/imports/k8s";
import type { Construct } from "constructs";
import type { SelfManagedCertificates, WebhookConfig } from "../model/admission/webhook/webhook-config";
import { mutatingWebhooks, validatingWebhooks } from "../model/admission/webhook/webhook-configurations";
import type { WebhookSettings } from "../model/cluster/components";
import { keep } from "../model/gitops/annotations";
import { anyTCP, metricsIngress } from "../model/network-policies/pod-rules";
import { webhookProbePort as probePort } from "../model/node-programs";
import { names, namespace } from "../model/object-names";
import { Component } from "./component";
import type { ComponentProps } from "./resolved-cluster";
import type { Plain } from "./plain";
import { configMount, configText, nonRoot, program } from "./program";
import { configVolume, confined, placement, probes, resources, spread, unprivileged } from "./pod-parts";
import { certManagerObjects, certManagerSecret, webhookDnsNames } from "./webhook-certificates";

const name = names.webhook;
const labels = { "k8s-app": name } as const;
const metadata = { name, labels } as const;
/** Private GKE clusters let their API server reach nodes and pods only on ports 443 and 10250. */
const port = 10250;
const certificateFolder = "/etc/webhook/certificates";

/** `agent webhook`: the part of `admission` that no policy of this Kubernetes version can do. */
export class Webhook extends Component {
  protected readonly stage = "admission";
  /** The webhook's account. */
  readonly serviceAccount: ApiObject;
  /** What it may do: roles, each followed by its binding; none if it does not call the API server. */
  readonly access: readonly ApiObject[];
  /** What it decides; its name ends with a hash of it. */
  readonly configMap: ApiObject;
  /** The Secret that the webhook fills, or cert-manager's objects that do. */
  readonly certificates: readonly ApiObject[];
  /** `cluster-dns-webhook`, which the API server calls. */
  readonly service: ApiObject;
  /** `cluster-dns-webhook`. */
  readonly deployment: ApiObject;
  /** Keeps replicas while nodes are drained. */
  readonly podDisruptionBudget: ApiObject;
  /** Unless `networkPolicies` is `false`. */
  readonly networkPolicy?: ApiObject;
  /** Last, so that the server exists before the API server calls it. */
  readonly configurations: readonly ApiObject[];

  /** @throws Error with everything that is wrong with the props, or if policies do it all. */
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id, props);
    const settings = this.needed(
      this.cluster.components.webhook,
      this.cluster.admission
        ? "has nothing to decide: policies of this kubernetesVersion do all of admission; use AdmissionPolicies in its place, or set admission.enforcement: webhook or admission.placementGuard: true"
        : "has nothing to decide; set admission",
    );
    const { certificates, tasks } = settings;
    const selfManaged = certificates === "self-managed" ? selfManagedCertificates(settings) : undefined;
    // Only a pod that calls the API server has a token for it.
    const callsApi = selfManaged !== undefined || tasks.placementGuard !== undefined;

    this.serviceAccount = this.add("ServiceAccount", { metadata: { name }, automountServiceAccountToken: false });
    this.access = callsApi ? this.addAccess(settings, selfManaged) : [];
    this.certificates =
      certificates === "self-managed"
        ? // Applied empty, because the permission to create Secrets cannot be limited to a name. Kept, because new
          // replicas need it to serve.
          [this.add("Secret", { metadata: { name, annotations: keep }, type: "Opaque" })]
        : certManagerObjects(settings).map(({ kind, manifest }) => this.add(kind, manifest));
    const config = configText(webhookConfig(settings, selfManaged));
    this.configMap = this.addHashedConfigMap(name, labels, "config.json", config);
    this.service = this.add("Service", {
      metadata,
      spec: {
        type: "ClusterIP",
        selector: labels,
        ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port }],
      },
    });
    const policies = this.cluster.networkPolicies;
    if (policies)
      this.networkPolicy = this.addNetworkPolicy(name, labels, {
        // The API server calls it, and is not a pod: no selector matches it.
        ingress: [{ ports: [{ protocol: "TCP", port }] }, ...metricsIngress(probePort, policies.metricsNamespaces)],
        egress: callsApi ? [anyTCP] : [],
      });
    this.deployment = this.addDeployment(settings, callsApi);
    this.podDisruptionBudget = this.add("PodDisruptionBudget", {
      metadata,
      spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    });
    const injected = { ...metadata, annotations: { "cert-manager.io/inject-ca-from": `${namespace}/${name}` } };
    this.configurations = configurationsOf(settings).map(({ kind, webhooks }) =>
      this.add(kind, { metadata: selfManaged ? metadata : injected, webhooks }),
    );
  }

  private addDeployment(settings: WebhookSettings, callsApi: boolean): ApiObject {
    const pods = {
      metadata: this.labelled(labels, this.scraped(probePort)),
      spec: podSpec(settings, this.configMap.name, callsApi),
    };
    const template = spread(pods, labels, this.cluster.minorVersion);
    return this.add(
      "Deployment",
      {
        metadata,
        spec: {
          replicas: settings.replicas,
          revisionHistoryLimit: 10,
          strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
          selector: { matchLabels: labels },
          template,
        },
      },
      { [`containerPort: ${port}`]: "private GKE clusters let their API server reach this port" },
    );
  }

  private addAccess({ tasks }: WebhookSettings, selfManaged: SelfManagedCertificates | undefined): ApiObject[] {
    const rules: Plain<PolicyRule>[] = [
      ...(selfManaged
        ? [
            {
              apiGroups: ["admissionregistration.k8s.io"],
              resources: selfManaged.configurations.map(({ resource }) => resource),
              resourceNames: [name],
              verbs: ["get", "patch"],
            },
          ]
        : []),
      ...(tasks.placementGuard ? [{ apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"] }] : []),
    ];
    const ofCluster = this.addRole("ClusterRole", name, rules);
    if (!selfManaged) return ofCluster;
    const secret = selfManaged.secret.name;
    return [
      ...ofCluster,
      ...this.addRole("Role", name, [
        { apiGroups: [""], resources: ["secrets"], resourceNames: [secret], verbs: ["get", "update"] },
      ]),
    ];
  }
}

function configurationsOf({ tasks }: WebhookSettings) {
  const all = [
    {
      kind: "MutatingWebhookConfiguration",
      resource: "mutatingwebhookconfigurations",
      webhooks: mutatingWebhooks(tasks),
    },
    {
      kind: "ValidatingWebhookConfiguration",
      resource: "validatingwebhookconfigurations",
      webhooks: validatingWebhooks(tasks),
    },
  ] as const;
  return all.filter(({ webhooks }) => webhooks.length > 0);
}

function selfManagedCertificates(settings: WebhookSettings): SelfManagedCertificates {
  return {
    kind: "self-managed",
    secret: { namespace, name },
    dnsNames: webhookDnsNames,
    configurations: configurationsOf(settings).map(({ resource }) => ({ resource, name })),
  };
}

function webhookConfig({ tasks }: WebhookSettings, selfManaged: SelfManagedCertificates | undefined): WebhookConfig {
  const { podDns, namespaces, protectedObjects, placementGuard } = tasks;
  const { tenants, all } = podDns ?? {};
  const tenancy = tenants?.tenancy ?? namespaces?.tenancy;
  return {
    version: 1,
    port,
    probePort,
    certificates: selfManaged ?? { kind: "files", folder: certificateFolder },
    ...(tenancy ? { tenancy } : {}),
    ...(tenants ? { pods: { clusterDomain: tenants.clusterDomain, nameservers: tenants.nameservers } } : {}),
    ...(all ? { podOptions: all } : {}),
    ...(namespaces ? { namespaces: { allowed: namespaces.allowed } } : {}),
    ...(protectedObjects ? { protectedObjects } : {}),
    ...(placementGuard ? { placementGuard } : {}),
  };
}

function podSpec(settings: WebhookSettings, configMapName: string, callsApi: boolean): Plain<PodSpec> {
  const { image, certificates } = settings;
  const mountsCertificate = certificates !== "self-managed";
  return {
    priorityClassName: "system-cluster-critical",
    serviceAccountName: name,
    automountServiceAccountToken: callsApi,
    // It reaches the API server by address, and must start even while the cluster's DNS is down.
    dnsPolicy: "Default",
    terminationGracePeriodSeconds: 15,
    securityContext: unprivileged(nonRoot, { fsGroup: nonRoot }),
    ...placement(settings.nodePlacement),
    containers: [container(image, mountsCertificate)],
    volumes: [
      configVolume("config", configMapName, "config.json"),
      ...(mountsCertificate
        ? [{ name: "certificate", secret: { secretName: certManagerSecret, defaultMode: 0o440 } }]
        : []),
    ],
  };
}

function container(image: string, mountsCertificate: boolean): Plain<Container> {
  return {
    ...program("webhook", image),
    ports: [
      { name: "https", containerPort: port, protocol: "TCP" },
      { name: "metrics", containerPort: probePort, protocol: "TCP" },
    ],
    // The limit covers what hostile requests can make it hold, see docs/webhook.md.
    resources: resources({ requests: { cpu: "50m", memory: "96Mi" }, limits: { memory: "512Mi" } }),
    ...probes(probePort),
    securityContext: confined([]),
    volumeMounts: [
      configMount("config"),
      ...(mountsCertificate ? [{ name: "certificate", mountPath: certificateFolder, readOnly: true }] : []),
    ],
  };
}
