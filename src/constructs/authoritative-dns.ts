import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { AuthoritativeDnsSettings, HorizontalSettings } from "../model/cluster/authoritative-dns";
import {
  asksOtherClusters,
  authoritativeCorefile,
  authoritativeFiles,
  coreDnsMetricsPort as metricsPort,
} from "../model/corefile/authoritative";
import { configFolder } from "../model/corefile/forward";
import { renderCorefile } from "../model/corefile/render";
import { autoscaled, keep, pruneLast } from "../model/gitops/annotations";
import { anyTCP, dnsServerIngress, upstreamEgress } from "../model/network-policies/pod-rules";
import { authoritativeLabels, names, namespace } from "../model/object-names";
import { atOnce } from "../model/size/rollout";
import { Autoscaler } from "./autoscaler";
import { Component } from "./component";
import type { ComponentProps } from "./resolved-cluster";
import {
  configVolume,
  confined,
  dnsContainerPorts,
  dnsServicePorts,
  goEnvironment,
  goRemark,
  httpProbe,
  placement,
  resources,
  settled,
  settledRemark,
  spread,
} from "./pod-parts";

const name = names.authoritativeDns;
const labels = { ...authoritativeLabels, "kubernetes.io/name": "CoreDNS" };
// After a change of `kind`, the old pods must serve until the new ones do.
const metadata = { name, labels, annotations: pruneLast };

// A pod counts as available after being ready for three readiness periods (OpenShift's dns-default): by then all
// kube-proxies know it, and an old one may go.
const minReadySeconds = 9;
const remarks = {
  [`minReadySeconds: ${minReadySeconds}`]:
    "three readiness periods: kube-proxies know a new pod before an old one goes",
  ...goRemark,
};
const revisionHistoryLimit = 10;
/** A quarter more pods, of a DaemonSet too. */
const surge = 25;
const selector = { matchLabels: authoritativeLabels };

function rollingUpdate(maxSurge: string | number) {
  return { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable: 0 } } as const;
}

/** CoreDNS behind Service `kube-dns`, with kubeadm's names, labels and selectors, so that it takes over in place. */
export class AuthoritativeDns extends Component {
  protected readonly stage = "authoritativeDns";
  /** CoreDNS's account. */
  readonly serviceAccount: ApiObject;
  /** What CoreDNS may list and watch: Services, their endpoints, pods and namespaces. */
  readonly clusterRole: ApiObject;
  /** Gives the role to the account. */
  readonly clusterRoleBinding: ApiObject;
  /** CoreDNS's own share of the API server; only with `resilience`. */
  readonly priorityLevelConfiguration?: ApiObject;
  /** What is in that share: CoreDNS's lists and watches. */
  readonly flowSchema?: ApiObject;
  /** The Corefile; its name ends with a hash of it. */
  readonly configMap: ApiObject;
  /** `kube-dns`, whose address pods ask. */
  readonly service: ApiObject;
  /** Only with `networkPolicies`. */
  readonly networkPolicy?: ApiObject;
  /** The Deployment or DaemonSet. */
  readonly workload: ApiObject;
  /** Only for a Deployment; a DaemonSet's pods are not evicted when a node is drained. */
  readonly podDisruptionBudget?: ApiObject;
  /** Only with `autoscaler` in mode `cluster-proportional`. */
  readonly autoscaler?: Autoscaler;
  /** Only with `autoscaler` in mode `horizontal`. */
  readonly horizontalPodAutoscaler?: ApiObject;

  /**
   * @throws Error with everything that is wrong with the props, or for `authoritativeDNS.kind: Existing`, which has
   * nothing to construct.
   */
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id, props);
    const settings = this.needed(
      this.cluster.components.authoritativeDns,
      "authoritativeDNS.kind: Existing has nothing to construct; accepted: Deployment, DaemonSet",
    );

    this.serviceAccount = this.add("ServiceAccount", { metadata: { name } });
    const rules = [
      { apiGroups: [""], resources: ["endpoints", "services", "pods", "namespaces"], verbs: ["list", "watch"] },
      { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
      ...(asksOtherClusters(settings.names)
        ? [{ apiGroups: ["multicluster.x-k8s.io"], resources: ["serviceimports"], verbs: ["list", "watch"] }]
        : []),
    ];
    [this.clusterRole, this.clusterRoleBinding] = this.addRole("ClusterRole", name, rules);
    if (settings.apiShares !== undefined) {
      this.priorityLevelConfiguration = this.addPriorityLevelConfiguration(settings.apiShares);
      this.flowSchema = this.addFlowSchema(rules);
    }
    const { names: answered, kind, autoscaler } = settings;
    const corefile = renderCorefile(authoritativeCorefile(answered));
    const files = authoritativeFiles(answered);
    this.configMap = this.addHashedConfigMap(name, authoritativeLabels, "Corefile", corefile, files);
    this.service = this.addService();
    const policies = this.cluster.networkPolicies;
    if (policies && !policies.onlyWebhook)
      this.networkPolicy = this.addNetworkPolicy(name, authoritativeLabels, {
        ingress: dnsServerIngress(metricsPort, policies.metricsNamespaces),
        egress: [anyTCP, ...upstreamEgress(answered.outside)],
      });
    this.workload = kind === "DaemonSet" ? this.addDaemonSet(settings) : this.addDeployment(settings);
    if (kind === "DaemonSet") return;
    this.podDisruptionBudget = this.addPodDisruptionBudget();
    if (autoscaler?.mode === "horizontal") this.horizontalPodAutoscaler = this.addHorizontalPodAutoscaler(autoscaler);
    else if (autoscaler) this.autoscaler = new Autoscaler(this, "autoscaler", this.cluster, autoscaler);
  }

  private addPriorityLevelConfiguration(nominalConcurrencyShares: number): ApiObject {
    return this.add("PriorityLevelConfiguration", {
      metadata: { name: names.apiPriority },
      spec: {
        type: "Limited",
        limited: {
          nominalConcurrencyShares,
          lendablePercent: 50,
          // Whoever it lets in is CoreDNS: one queue is fair to all of its pods.
          limitResponse: { type: "Queue", queuing: { queues: 1, handSize: 1, queueLengthLimit: 1000 } },
        },
      },
    });
  }

  /**
   * By default, CoreDNS is in one flow with all of kube-system that asks for objects of all namespaces
   * (kube-system-service-accounts, which has precedence 900 and tells flows apart by the namespace that is asked for).
   * @param rules What CoreDNS may ask.
   */
  private addFlowSchema(rules: readonly object[]): ApiObject {
    return this.add("FlowSchema", {
      metadata: { name: names.apiPriority },
      spec: {
        priorityLevelConfiguration: { name: names.apiPriority },
        matchingPrecedence: 850,
        rules: [
          {
            subjects: [{ kind: "ServiceAccount", serviceAccount: { name, namespace } }],
            resourceRules: rules.map((rule) => ({ ...rule, clusterScope: true, namespaces: ["*"] })),
          },
        ],
      },
    });
  }

  /** kube-proxies learn of a new pod within the lameduck time of the old one. */
  private addDaemonSet(settings: AuthoritativeDnsSettings): ApiObject {
    const updateStrategy = rollingUpdate(atOnce(surge, this.cluster.said.size));
    const spec = { updateStrategy, revisionHistoryLimit, selector, template: this.podTemplate(settings, settled) };
    return this.add("DaemonSet", { metadata, spec }, { ...settledRemark, ...goRemark });
  }

  private addDeployment(settings: AuthoritativeDnsSettings): ApiObject {
    const { replicas, autoscaler } = settings;
    const template = spread(this.podTemplate(settings), authoritativeLabels, this.cluster.minorVersion);
    return this.add(
      "Deployment",
      {
        metadata: autoscaler ? { ...metadata, annotations: { ...pruneLast, ...autoscaled } } : metadata,
        spec: {
          replicas,
          minReadySeconds,
          revisionHistoryLimit,
          strategy: rollingUpdate(`${surge}%`),
          selector,
          template,
        },
      },
      remarks,
    );
  }

  private addPodDisruptionBudget(): ApiObject {
    return this.add("PodDisruptionBudget", {
      metadata: { name, labels: authoritativeLabels, annotations: pruneLast },
      spec: {
        maxUnavailable: 1,
        // Only the Deployment's pods: a budget cannot count those of a DaemonSet, which exist beside them while `kind`
        // changes, and would allow no eviction.
        selector: { ...selector, matchExpressions: [{ key: "pod-template-hash", operator: "Exists" }] },
        // A pod that is not ready serves nobody, so its node may be drained.
        unhealthyPodEvictionPolicy: "AlwaysAllow",
      },
    });
  }

  /** Without metrics it keeps the pods that are there, and at least `min`. */
  private addHorizontalPodAutoscaler({ min, max, cpuUtilization }: HorizontalSettings): ApiObject {
    return this.add("HorizontalPodAutoscaler", {
      metadata: { name, labels: authoritativeLabels },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
        minReplicas: min,
        maxReplicas: max,
        metrics: [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: cpuUtilization } },
          },
        ],
      },
    });
  }

  private addService(): ApiObject {
    const { families, said } = this.cluster;
    const { clusterDNS, authoritativeDNS } = said;
    return this.add("Service", {
      metadata: { name: names.dnsService, labels, annotations: { ...keep, ...this.scraped(metricsPort) } },
      spec: {
        type: "ClusterIP",
        clusterIP: clusterDNS[0],
        clusterIPs: [...clusterDNS],
        ipFamilies: families,
        ipFamilyPolicy: clusterDNS.length === 2 ? "RequireDualStack" : "SingleStack",
        selector: authoritativeLabels,
        ports: [
          ...dnsServicePorts(authoritativeDNS.service.targetPort),
          { name: "metrics", port: metricsPort, protocol: "TCP", targetPort: metricsPort },
        ],
        trafficDistribution: said.trafficDistribution,
      },
    });
  }

  private podTemplate(settings: AuthoritativeDnsSettings, readyLater: Partial<typeof settled> = {}) {
    const env = goEnvironment(settings.resources);
    return {
      metadata: this.labelled(authoritativeLabels),
      spec: {
        priorityClassName: "system-cluster-critical",
        serviceAccountName: name,
        // The node's resolvers: the cluster DNS cannot resolve through itself.
        dnsPolicy: "Default",
        securityContext: { seccompProfile: { type: "RuntimeDefault" } },
        ...placement(settings.placement),
        containers: [
          {
            name,
            image: settings.image,
            imagePullPolicy: "IfNotPresent",
            args: ["-conf", `${configFolder}/Corefile`],
            ...(env.length > 0 ? { env } : {}),
            ports: [
              ...dnsContainerPorts(this.cluster.said.authoritativeDNS.service.portNames),
              { name: "metrics", containerPort: metricsPort, protocol: "TCP" },
            ],
            resources: resources(settings.resources),
            // Times of coredns.yaml.base, but readiness is probed more often: a new pod serves sooner, and kube-proxy
            // learns of a stopping one within its lameduck time.
            livenessProbe: httpProbe("/health", 8080, {
              initialDelaySeconds: 60,
              timeoutSeconds: 5,
              failureThreshold: 5,
              periodSeconds: 10,
              successThreshold: 1,
            }),
            readinessProbe: httpProbe("/ready", 8181, {
              ...readyLater,
              periodSeconds: 3,
              timeoutSeconds: 3,
              failureThreshold: 3,
              successThreshold: 1,
            }),
            securityContext: confined(["NET_BIND_SERVICE"]),
            volumeMounts: [{ name: "config-volume", mountPath: configFolder, readOnly: true }],
          },
        ],
        volumes: [
          configVolume(
            "config-volume",
            this.configMap.name,
            "Corefile",
            "Corefile",
            Object.keys(authoritativeFiles(settings.names)),
          ),
        ],
      },
    };
  }
}
