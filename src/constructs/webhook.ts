import type { ApiObject } from "cdk8s";
import type {
  Container,
  KubeClusterRoleBindingProps,
  KubeClusterRoleProps,
  KubeDeploymentProps,
  KubeNetworkPolicyProps,
  KubePodDisruptionBudgetProps,
  KubeRoleBindingProps,
  KubeRoleProps,
  KubeServiceAccountProps,
  KubeServiceProps,
  PodSpec,
  PolicyRule,
} from "cdk8s-plus-27/lib/imports/k8s";
import { Construct } from "constructs";
import { admissionPlan, needsWebhook, type AdmissionPlan } from "../model/admission/plan";
import type { SelfManagedCertificates, WebhookConfig } from "../model/admission/webhook-config";
import {
  mutatingWebhooks,
  validatingWebhooks,
  webhookName,
  type WebhookEntry,
} from "../model/admission/webhook-configurations";
import { wave } from "../model/gitops";
import type { ClusterDnsProps } from "../model/props/cluster-dns";
import { addObject, extras, namespace, type Metadata, type Plain } from "./api-object";
import { checkProps } from "./check-props";
import { hashedConfigMap } from "./hashed-config-map";
import { confined, httpProbe, placement, resources } from "./pod-parts";
import { certManagerCertificate, selfManagedSecret, webhookDnsNames } from "./webhook-certificates";

const name = webhookName;
const labels = { "k8s-app": name } as const;
const metadata = { name, namespace, labels } as const;
const rbac = "rbac.authorization.k8s.io";
/** Private GKE clusters let their API server reach nodes and pods at 443 and 10250 only. */
const port = 10250;
const probePort = 8080;
const certificateFolder = "/etc/webhook/certificates";
/** `nonroot` of distroless images; any but 0. */
const user = 65532;

interface WebhookConfigurationProps {
  readonly metadata: Metadata;
  readonly webhooks: readonly WebhookEntry[];
}

/** `agent webhook`: what `admission` asks for and no policy of this Kubernetes version can do. */
export class Webhook extends Construct {
  readonly serviceAccount: ApiObject;
  readonly configMap: ApiObject;
  /** The Secret that the webhook fills, or the objects of cert-manager that do. */
  readonly certificates: readonly ApiObject[];
  readonly service: ApiObject;
  readonly deployment: ApiObject;
  readonly podDisruptionBudget: ApiObject;
  readonly networkPolicy: ApiObject;
  /** Last, so that who is asked is there. */
  readonly configurations: readonly ApiObject[];

  /**
   * @throws Error with everything that is wrong with the props; also where the policies do all of it.
   */
  constructor(scope: Construct, id: string, props: ClusterDnsProps) {
    super(scope, id);
    checkProps(this, props);
    const plan = admissionPlan(props);
    const { agentImage, admission } = props;
    if (!plan || !needsWebhook(plan) || !agentImage || !admission) {
      throw new Error(
        `${this.node.path} has nothing to decide: say admission, with enforcement: webhook or placementGuard: true`,
      );
    }
    const { certificates, replicas = 3 } = admission.webhook ?? {};
    const selfManaged = certificates === "cert-manager" ? undefined : selfManagedCertificates(plan);
    // Only what calls the API server has a token for it.
    const callsApi = selfManaged !== undefined || plan.webhook.placementGuard !== undefined;

    this.serviceAccount = addObject<KubeServiceAccountProps>(this, props, ["v1", "ServiceAccount"], {
      metadata: { name, namespace, annotations: wave("access") },
      automountServiceAccountToken: false,
    });
    if (callsApi) this.addAccess(props, plan, selfManaged);
    this.certificates = selfManaged
      ? [selfManagedSecret(this, props)]
      : certManagerCertificate(this, props, admission.webhook ?? {});
    this.configMap = hashedConfigMap(this, props, {
      name,
      labels,
      key: "config.json",
      text: `${JSON.stringify(webhookConfig(props, plan, selfManaged), null, 2)}\n`,
    });
    this.service = addObject<KubeServiceProps>(this, props, ["v1", "Service"], {
      metadata: { ...metadata, annotations: wave("config") },
      spec: {
        type: "ClusterIP",
        selector: labels,
        ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port }],
      },
    });
    this.networkPolicy = this.addNetworkPolicy(props, callsApi);
    this.deployment = addObject<KubeDeploymentProps>(this, props, ["apps/v1", "Deployment"], {
      metadata: { ...metadata, annotations: wave("admission") },
      spec: {
        replicas,
        revisionHistoryLimit: 10,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        selector: { matchLabels: labels },
        template: {
          metadata: extras(props, {
            labels,
            annotations: { "prometheus.io/port": String(probePort), "prometheus.io/scrape": "true" },
          }),
          spec: podSpec(agentImage, this.configMap.name, callsApi, selfManaged === undefined),
        },
      },
    });
    this.podDisruptionBudget = addObject<KubePodDisruptionBudgetProps>(
      this,
      props,
      ["policy/v1", "PodDisruptionBudget"],
      {
        metadata: { ...metadata, annotations: wave("admission") },
        spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
      },
    );
    this.configurations = this.addConfigurations(props, plan, selfManaged === undefined);
  }

  private addAccess(
    props: ClusterDnsProps,
    plan: AdmissionPlan,
    selfManaged: SelfManagedCertificates | undefined,
  ): void {
    const annotations = wave("access");
    const subjects = [{ kind: "ServiceAccount", name, namespace }];
    const clusterRules: Plain<PolicyRule>[] = [
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
      ...(plan.webhook.placementGuard ? [{ apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"] }] : []),
    ];
    addObject<KubeClusterRoleProps>(this, props, [`${rbac}/v1`, "ClusterRole"], {
      metadata: { name: `system:${name}`, annotations },
      rules: clusterRules,
    });
    addObject<KubeClusterRoleBindingProps>(this, props, [`${rbac}/v1`, "ClusterRoleBinding"], {
      metadata: { name: `system:${name}`, annotations },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: `system:${name}` },
      subjects,
    });
    if (!selfManaged) return;
    addObject<KubeRoleProps>(this, props, [`${rbac}/v1`, "Role"], {
      metadata: { name, namespace, annotations },
      rules: [
        { apiGroups: [""], resources: ["secrets"], resourceNames: [selfManaged.secret.name], verbs: ["get", "update"] },
      ],
    });
    addObject<KubeRoleBindingProps>(this, props, [`${rbac}/v1`, "RoleBinding"], {
      metadata: { name, namespace, annotations },
      roleRef: { apiGroup: rbac, kind: "Role", name },
      subjects,
    });
  }

  private addNetworkPolicy(props: ClusterDnsProps, callsApi: boolean): ApiObject {
    return addObject<KubeNetworkPolicyProps>(this, props, ["networking.k8s.io/v1", "NetworkPolicy"], {
      metadata: { ...metadata, annotations: wave("config") },
      spec: {
        podSelector: { matchLabels: labels },
        policyTypes: ["Ingress", "Egress"],
        // An API server is no pod: there is no selector for it, and its addresses and ports are the cluster's own.
        ingress: [{ ports: [port, probePort].map((one) => ({ protocol: "TCP", port: one })) }],
        egress: callsApi ? [{ ports: [{ protocol: "TCP" }] }] : [],
      },
    });
  }

  private addConfigurations(props: ClusterDnsProps, plan: AdmissionPlan, injected: boolean): ApiObject[] {
    const annotations = {
      ...wave("webhookConfigurations"),
      ...(injected ? { "cert-manager.io/inject-ca-from": `${namespace}/${name}` } : {}),
    };
    return configurationsOf(plan).map(({ kind, webhooks }) =>
      addObject<WebhookConfigurationProps>(this, props, ["admissionregistration.k8s.io/v1", kind], {
        metadata: { name, labels, annotations },
        webhooks,
      }),
    );
  }
}

function configurationsOf(plan: AdmissionPlan) {
  const all = [
    {
      kind: "MutatingWebhookConfiguration",
      resource: "mutatingwebhookconfigurations",
      webhooks: mutatingWebhooks(plan),
    },
    {
      kind: "ValidatingWebhookConfiguration",
      resource: "validatingwebhookconfigurations",
      webhooks: validatingWebhooks(plan),
    },
  ] as const;
  return all.filter(({ webhooks }) => webhooks.length > 0);
}

function selfManagedCertificates(plan: AdmissionPlan): SelfManagedCertificates {
  return {
    kind: "self-managed",
    secret: { namespace, name },
    dnsNames: webhookDnsNames,
    configurations: configurationsOf(plan).map(({ resource }) => ({ resource, name })),
  };
}

function webhookConfig(
  { tenancy }: ClusterDnsProps,
  { webhook }: AdmissionPlan,
  selfManaged: SelfManagedCertificates | undefined,
): WebhookConfig {
  const { podDns, namespaces, protectedObjects, placementGuard } = webhook;
  return {
    version: 1,
    port,
    probePort,
    certificates: selfManaged ?? { kind: "files", folder: certificateFolder },
    ...(tenancy && (podDns || namespaces) ? { tenancy } : {}),
    ...(podDns ? { pods: { clusterDomain: podDns.clusterDomain, nameservers: podDns.nameservers } } : {}),
    ...(namespaces ? { namespaces: { allowed: namespaces.allowed } } : {}),
    ...(protectedObjects ? { protectedObjects } : {}),
    ...(placementGuard ? { placementGuard } : {}),
  };
}

function podSpec(image: string, configMapName: string, callsApi: boolean, mountsCertificate: boolean): Plain<PodSpec> {
  return {
    priorityClassName: "system-cluster-critical",
    serviceAccountName: name,
    automountServiceAccountToken: callsApi,
    // It finds the API server by address, and must start while the cluster's DNS does not.
    dnsPolicy: "Default",
    terminationGracePeriodSeconds: 15,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      fsGroup: user,
      seccompProfile: { type: "RuntimeDefault" },
    },
    ...placement({}, []),
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: { labelSelector: { matchLabels: labels }, topologyKey: "kubernetes.io/hostname" },
          },
        ],
      },
    },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "topology.kubernetes.io/zone",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: { matchLabels: labels },
      },
    ],
    containers: [container(image, mountsCertificate)],
    volumes: [
      {
        name: "config",
        configMap: { name: configMapName, items: [{ key: "config.json", path: "config.json" }], defaultMode: 0o644 },
      },
      ...(mountsCertificate ? [{ name: "certificate", secret: { secretName: name, defaultMode: 0o440 } }] : []),
    ],
  };
}

function container(image: string, mountsCertificate: boolean): Plain<Container> {
  const probe = (path: string, periodSeconds: number) =>
    httpProbe(path, probePort, { periodSeconds, timeoutSeconds: 5, failureThreshold: 3, successThreshold: 1 });
  return {
    name: "webhook",
    image,
    imagePullPolicy: "IfNotPresent",
    args: ["webhook", "--config", "/etc/agent/config.json"],
    ports: [
      { name: "https", containerPort: port, protocol: "TCP" },
      { name: "metrics", containerPort: probePort, protocol: "TCP" },
    ],
    // The limit holds what hostile requests can make it keep, see docs/webhook.md.
    resources: resources({ requests: { cpu: "50m", memory: "96Mi" }, limits: { memory: "512Mi" } }),
    livenessProbe: probe("/healthz", 10),
    readinessProbe: probe("/readyz", 5),
    securityContext: confined([]),
    volumeMounts: [
      { name: "config", mountPath: "/etc/agent", readOnly: true },
      ...(mountsCertificate ? [{ name: "certificate", mountPath: certificateFolder, readOnly: true }] : []),
    ],
  };
}
