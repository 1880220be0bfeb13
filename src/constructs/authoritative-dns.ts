import type { ApiObject } from "cdk8s";
import type {
  KubeClusterRoleBindingProps,
  KubeClusterRoleProps,
  KubeDaemonSetProps,
  KubeDeploymentProps,
  KubePodDisruptionBudgetProps,
  KubeServiceAccountProps,
  KubeServiceProps,
  PodTemplateSpec,
} from "cdk8s-plus-27/lib/imports/k8s";
import { Construct } from "constructs";
import { familyOf } from "../model/syntax/addresses";
import { authoritativeCorefile } from "../model/corefile/authoritative";
import { renderCorefile } from "../model/corefile/render";
import { keep, wave } from "../model/gitops";
import { defaultImage } from "../model/images";
import { nested, type AuthoritativeDnsProps } from "../model/props/component-props";
import { addObject, extras, namespace, type Plain } from "./api-object";
import { Autoscaler } from "./autoscaler";
import { checkProps } from "./check-props";
import { hashedConfigMap } from "./hashed-config-map";
import { authoritativeLabels, dnsServicePorts } from "./dns-service";
import { confined, dnsContainerPorts, httpProbe, placement, resources } from "./pod-parts";

const name = "coredns";
const metricsPort = 9153;
const workloadMetadata = {
  name,
  namespace,
  labels: { ...authoritativeLabels, "kubernetes.io/name": "CoreDNS" },
  annotations: wave("authoritativeDns"),
};

// A pod counts as available once it stayed ready for three readiness periods (OpenShift's dns-default): by then
// kube-proxies have learned of it, and an old one may go.
const rollout = { minReadySeconds: 9, revisionHistoryLimit: 10 } as const;

/**
 * CoreDNS behind Service `kube-dns`, with the names, labels and selectors that kubeadm uses, so that it takes over in place.
 */
export class AuthoritativeDns extends Construct {
  readonly serviceAccount: ApiObject;
  readonly clusterRole: ApiObject;
  readonly clusterRoleBinding: ApiObject;
  readonly configMap: ApiObject;
  readonly service: ApiObject;
  /** The Deployment or DaemonSet. */
  readonly workload: ApiObject;
  /** For a Deployment; a DaemonSet's pods are not evicted when a node is drained. */
  readonly podDisruptionBudget?: ApiObject;
  readonly autoscaler?: Autoscaler;

  /**
   * @throws Error with everything that is wrong with the props; also for `kind: Existing`, which has nothing to construct.
   */
  constructor(scope: Construct, id: string, props: AuthoritativeDnsProps) {
    super(scope, id);
    checkProps(this, nested("authoritativeDNS", props), "authoritativeDNS");
    if (props.kind === "Existing") {
      throw new Error(`${this.node.path} kind: Existing has nothing to construct; accepted: Deployment, DaemonSet`);
    }

    this.serviceAccount = addObject<KubeServiceAccountProps>(this, props, ["v1", "ServiceAccount"], {
      metadata: { name, namespace, annotations: wave("access") },
    });
    this.clusterRole = addObject<KubeClusterRoleProps>(this, props, ["rbac.authorization.k8s.io/v1", "ClusterRole"], {
      metadata: { name: `system:${name}`, annotations: wave("access") },
      rules: [
        { apiGroups: [""], resources: ["endpoints", "services", "pods", "namespaces"], verbs: ["list", "watch"] },
        { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
      ],
    });
    this.clusterRoleBinding = addObject<KubeClusterRoleBindingProps>(
      this,
      props,
      ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
      {
        metadata: { name: `system:${name}`, annotations: wave("access") },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: `system:${name}` },
        subjects: [{ kind: "ServiceAccount", name, namespace }],
      },
    );
    this.configMap = hashedConfigMap(this, props, {
      name,
      labels: authoritativeLabels,
      key: "Corefile",
      text: renderCorefile(authoritativeCorefile(props, props)),
    });
    this.service = this.addService(props);
    this.workload = props.kind === "DaemonSet" ? this.addDaemonSet(props) : this.addDeployment(props);
    if (props.kind !== "DaemonSet") {
      this.podDisruptionBudget = this.addPodDisruptionBudget(props);
      if (props.autoscaler)
        this.autoscaler = new Autoscaler(this, "autoscaler", { ...props, target: `deployment/${name}` });
    }
  }

  private addService(props: AuthoritativeDnsProps): ApiObject {
    const { clusterDNS, trafficDistribution } = props;
    return addObject<KubeServiceProps & { spec: { trafficDistribution?: string } }>(this, props, ["v1", "Service"], {
      metadata: {
        name: "kube-dns",
        namespace,
        labels: { ...authoritativeLabels, "kubernetes.io/name": "CoreDNS" },
        annotations: {
          ...wave("config"),
          ...keep,
          "prometheus.io/port": String(metricsPort),
          "prometheus.io/scrape": "true",
        },
      },
      spec: {
        type: "ClusterIP",
        clusterIP: clusterDNS[0],
        clusterIPs: [...clusterDNS],
        ipFamilies: clusterDNS.map((address) => familyOf(address) ?? "IPv4"),
        ipFamilyPolicy: clusterDNS.length === 2 ? "RequireDualStack" : "SingleStack",
        selector: authoritativeLabels,
        ports: [...dnsServicePorts, { name: "metrics", port: metricsPort, protocol: "TCP", targetPort: metricsPort }],
        ...(trafficDistribution ? { trafficDistribution } : {}),
      },
    });
  }

  private addDeployment(props: AuthoritativeDnsProps): ApiObject {
    return addObject<KubeDeploymentProps>(this, props, ["apps/v1", "Deployment"], {
      metadata: workloadMetadata,
      spec: {
        // With an autoscaler the number of pods is not ours to say: two owners would fight over it (gardener#7129).
        ...(props.autoscaler ? {} : { replicas: props.replicas ?? 2 }),
        ...rollout,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } },
        selector: { matchLabels: authoritativeLabels },
        template: this.podTemplate(props),
      },
    });
  }

  private addDaemonSet(props: AuthoritativeDnsProps): ApiObject {
    return addObject<KubeDaemonSetProps>(this, props, ["apps/v1", "DaemonSet"], {
      metadata: workloadMetadata,
      spec: {
        ...rollout,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } },
        selector: { matchLabels: authoritativeLabels },
        template: this.podTemplate(props),
      },
    });
  }

  private podTemplate(props: AuthoritativeDnsProps): Plain<PodTemplateSpec> {
    return {
      metadata: extras(props, { labels: authoritativeLabels }),
      spec: {
        priorityClassName: "system-cluster-critical",
        serviceAccountName: name,
        // The node's resolvers: cluster DNS cannot be resolved through itself.
        dnsPolicy: "Default",
        securityContext: { seccompProfile: { type: "RuntimeDefault" } },
        ...placement(props.nodePlacement ?? {}, []),
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 100,
                podAffinityTerm: {
                  labelSelector: { matchLabels: authoritativeLabels },
                  topologyKey: "kubernetes.io/hostname",
                },
              },
            ],
          },
        },
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "topology.kubernetes.io/zone",
            whenUnsatisfiable: "ScheduleAnyway",
            labelSelector: { matchLabels: authoritativeLabels },
          },
        ],
        containers: [
          {
            name,
            image: props.image ?? defaultImage("coredns", props.imageRegistry),
            imagePullPolicy: "IfNotPresent",
            args: ["-conf", "/etc/coredns/Corefile"],
            ports: [...dnsContainerPorts, { name: "metrics", containerPort: metricsPort, protocol: "TCP" }],
            resources: resources(
              props.resources ?? { requests: { cpu: "100m", memory: "70Mi" }, limits: { memory: "170Mi" } },
            ),
            // Times of coredns.yaml.base, but for a readiness that is asked more often: a new pod serves sooner, and of one that
            // stops kube-proxy learns within its lameduck.
            livenessProbe: httpProbe("/health", 8080, {
              initialDelaySeconds: 60,
              timeoutSeconds: 5,
              failureThreshold: 5,
              periodSeconds: 10,
              successThreshold: 1,
            }),
            readinessProbe: httpProbe("/ready", 8181, {
              periodSeconds: 3,
              timeoutSeconds: 3,
              failureThreshold: 3,
              successThreshold: 1,
            }),
            securityContext: confined(["NET_BIND_SERVICE"]),
            volumeMounts: [{ name: "config-volume", mountPath: "/etc/coredns", readOnly: true }],
          },
        ],
        volumes: [
          {
            name: "config-volume",
            configMap: {
              name: this.configMap.name,
              items: [{ key: "Corefile", path: "Corefile" }],
              defaultMode: 0o644,
            },
          },
        ],
      },
    };
  }

  private addPodDisruptionBudget(props: AuthoritativeDnsProps): ApiObject {
    return addObject<KubePodDisruptionBudgetProps>(this, props, ["policy/v1", "PodDisruptionBudget"], {
      metadata: { name, namespace, labels: authoritativeLabels, annotations: wave("authoritativeDns") },
      spec: {
        maxUnavailable: 1,
        selector: { matchLabels: authoritativeLabels },
        // A pod that is not ready serves nobody: its node may be drained.
        unhealthyPodEvictionPolicy: "AlwaysAllow",
      },
    });
  }
}
