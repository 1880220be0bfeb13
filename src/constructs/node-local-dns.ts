import type { ApiObject } from "cdk8s";
import type {
  Container,
  KubeDaemonSetProps,
  KubeServiceAccountProps,
  KubeServiceProps,
  PodSpec,
} from "cdk8s-plus-27/lib/imports/k8s";
import { Construct } from "constructs";
import { agentConfig } from "../model/agent-config/from-props";
import { cacheMemory } from "../model/cache-memory";
import { configHash, healthPort } from "../model/corefile/hash";
import { cacheMetricsPort, cacheVariables, nodeLocalDnsCorefile } from "../model/corefile/node-local-dns";
import { renderCorefile } from "../model/corefile/render";
import { wave } from "../model/gitops";
import { defaultImage } from "../model/images";
import { queryPath, upstreamServiceName, type QueryPath } from "../model/query-path/query-path";
import { clusterFacts, nested, type NodeLocalDnsProps } from "../model/props/component-props";
import { agentConfigText, agentContainer, agentVolumes } from "./agent-container";
import { addObject, extras, namespace, type Plain } from "./api-object";
import { checkProps } from "./check-props";
import { LocalRedirectPolicy } from "./local-redirect-policy";
import { authoritativeLabels, dnsServicePorts } from "./dns-service";
import { hashedConfigMap } from "./hashed-config-map";
import { confined, dnsContainerPorts, everyTaint, fieldRef, httpProbe, placement, resources } from "./pod-parts";

const name = "node-local-dns";

/** Label of the cache's pods. */
export const nodeLocalDnsLabels = { "k8s-app": name } as const;

/** A DNS cache on every node, and the Service through which it reaches the cluster DNS. */
export class NodeLocalDns extends Construct {
  /** What the mode of kube-proxy and the interception decide. */
  readonly queryPath: QueryPath;
  readonly serviceAccount: ApiObject;
  /** Where the cache asks on a miss; only where the DNS Service's own address leads back to the cache. */
  readonly upstreamService?: ApiObject;
  readonly configMap: ApiObject;
  /** What `agent node-setup` is told; only where nodes have a link and rules of ours. */
  readonly agentConfigMap?: ApiObject;
  readonly daemonSet: ApiObject;
  /** Headless, for metrics. */
  readonly service: ApiObject;
  readonly localRedirectPolicy?: LocalRedirectPolicy;

  /**
   * @throws Error with everything that is wrong with the props.
   */
  constructor(scope: Construct, id: string, props: NodeLocalDnsProps) {
    super(scope, id);
    const cluster = nested("nodeLocalDNS", props);
    checkProps(this, cluster, "nodeLocalDNS");
    const path = queryPath(cluster);
    if (path?.state !== "enabled") {
      throw new Error(
        `${this.node.path} state: ${path?.state ?? "disabled"} has no cache to construct; accepted: enabled`,
      );
    }
    this.queryPath = path;

    this.serviceAccount = addObject<KubeServiceAccountProps>(this, props, ["v1", "ServiceAccount"], {
      metadata: { name, namespace, annotations: wave("access") },
      automountServiceAccountToken: false,
    });
    // Before the pods: the kubelet gives its address to containers that start after it exists.
    if (path.clusterServers === "upstream-service") this.upstreamService = this.addUpstreamService(props);
    const corefile = renderCorefile(nodeLocalDnsCorefile(clusterFacts(props), props, path));
    this.configMap = hashedConfigMap(this, props, {
      name,
      labels: nodeLocalDnsLabels,
      key: "Corefile",
      text: corefile,
    });
    if (path.needsAgent) {
      this.agentConfigMap = hashedConfigMap(this, props, {
        name: `${name}-agent`,
        labels: nodeLocalDnsLabels,
        key: "config.json",
        text: agentConfigText(agentConfig(cluster, path)),
      });
    }
    this.daemonSet = this.addDaemonSet(props, corefile);
    this.service = this.addMetricsService(props);
    if (path.interception === "local-redirect") {
      this.localRedirectPolicy = new LocalRedirectPolicy(this, "local-redirect", props);
    }
  }

  private addUpstreamService(props: NodeLocalDnsProps): ApiObject {
    return addObject<KubeServiceProps & { spec: { trafficDistribution?: string } }>(this, props, ["v1", "Service"], {
      metadata: {
        name: upstreamServiceName,
        namespace,
        labels: { ...authoritativeLabels, "kubernetes.io/name": "KubeDNSUpstream" },
        annotations: wave("config"),
      },
      spec: {
        type: "ClusterIP",
        // One family is enough, the first: the cache reaches the cluster DNS by one address.
        ipFamilies: this.queryPath.families.slice(0, 1),
        ipFamilyPolicy: "SingleStack",
        selector: authoritativeLabels,
        ports: dnsServicePorts,
        ...(props.trafficDistribution ? { trafficDistribution: props.trafficDistribution } : {}),
      },
    });
  }

  private addDaemonSet(props: NodeLocalDnsProps, corefile: string): ApiObject {
    return addObject<KubeDaemonSetProps>(this, props, ["apps/v1", "DaemonSet"], {
      metadata: { name, namespace, labels: nodeLocalDnsLabels, annotations: wave("nodeLocalDns") },
      spec: {
        selector: { matchLabels: nodeLocalDnsLabels },
        // A new cache serves beside the old one (SO_REUSEPORT) before that one stops; half of its lameduck ready is enough.
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "10%", maxUnavailable: 0 } },
        minReadySeconds: 3,
        revisionHistoryLimit: 10,
        template: {
          metadata: extras(props, {
            labels: nodeLocalDnsLabels,
            annotations: { "prometheus.io/port": String(cacheMetricsPort), "prometheus.io/scrape": "true" },
          }),
          spec: this.podSpec(props, corefile),
        },
      },
    });
  }

  private podSpec(props: NodeLocalDnsProps, corefile: string): Plain<PodSpec> {
    const usesXtables = props.packetFilter === "iptables";
    const corefileName = props.engine === "node-cache" ? "Corefile.base" : "Corefile";
    return {
      priorityClassName: "system-node-critical",
      serviceAccountName: name,
      automountServiceAccountToken: false,
      ...(this.queryPath.hostNetwork ? { hostNetwork: true } : {}),
      dnsPolicy: "Default",
      // The upstream Service's address comes as an environment variable.
      enableServiceLinks: true,
      securityContext: { seccompProfile: { type: "RuntimeDefault" } },
      ...placement(props.nodePlacement ?? {}, everyTaint),
      // Addresses before the listener is safe: until a socket listens, the rules let every packet go on to cluster DNS.
      ...(this.agentConfigMap && props.agentImage
        ? { initContainers: [agentContainer("node-setup", "node-setup", props.agentImage, usesXtables)] }
        : {}),
      containers: [this.container(props, corefile)],
      volumes: [
        {
          name: "config-volume",
          configMap: {
            name: this.configMap.name,
            items: [{ key: "Corefile", path: corefileName }],
            defaultMode: 0o644,
          },
        },
        ...(this.agentConfigMap ? agentVolumes(this.agentConfigMap.name, usesXtables) : []),
        ...(props.engine === "node-cache" ? [{ name: "run", emptyDir: {} }] : []),
      ],
    };
  }

  private container(props: NodeLocalDnsProps, corefile: string): Plain<Container> {
    const { listenAddresses, hostNetwork } = this.queryPath;
    const image =
      props.image ?? defaultImage(props.engine === "node-cache" ? "nodeCache" : "coredns", props.imageRegistry);
    const hash = configHash(`${corefile}\n${image}`);
    const port = healthPort(hash);
    const probe = (timing: Parameters<typeof httpProbe>[2]) =>
      httpProbe("/health", port, timing, hostNetwork ? "127.0.0.1" : undefined);
    return {
      name: "node-cache",
      image,
      imagePullPolicy: "IfNotPresent",
      args:
        props.engine === "node-cache"
          ? nodeCacheArgs(hostNetwork ? listenAddresses : props.clusterDNS)
          : ["-conf", "/etc/coredns/Corefile"],
      env: [
        { name: cacheVariables.podName, valueFrom: fieldRef("metadata.name") },
        { name: cacheVariables.configHash, value: hash },
        { name: cacheVariables.healthPort, value: String(port) },
      ],
      // On the host's network a declared port becomes a host port, and the scheduler would refuse the surge pod.
      ...(hostNetwork ? {} : { ports: dnsContainerPorts }),
      resources: resources(
        props.resources ?? { requests: { cpu: "25m", memory: cacheMemory(props.cache, stubZones(props)) } },
      ),
      livenessProbe: probe({
        initialDelaySeconds: 60,
        timeoutSeconds: 5,
        failureThreshold: 3,
        periodSeconds: 10,
        successThreshold: 1,
      }),
      readinessProbe: probe({ periodSeconds: 2, timeoutSeconds: 2, failureThreshold: 3, successThreshold: 1 }),
      // Root without rights but for port 53: both engines must have the same user to share the port in a surge update, and
      // a user without rights cannot bind it on the host's network.
      securityContext: { ...confined(["NET_BIND_SERVICE"]), runAsUser: 0 },
      volumeMounts: [
        { name: "config-volume", mountPath: "/etc/coredns", readOnly: true },
        ...(props.engine === "node-cache" ? [{ name: "run", mountPath: "/run/node-cache" }] : []),
      ],
    };
  }

  private addMetricsService(props: NodeLocalDnsProps): ApiObject {
    return addObject<KubeServiceProps>(this, props, ["v1", "Service"], {
      metadata: { name, namespace, labels: nodeLocalDnsLabels, annotations: wave("nodeLocalDns") },
      spec: {
        type: "ClusterIP",
        clusterIP: "None",
        selector: nodeLocalDnsLabels,
        ports: [{ name: "metrics", port: cacheMetricsPort, protocol: "TCP", targetPort: cacheMetricsPort }],
      },
    });
  }
}

// Link, addresses and rules are the agent's: `-localip` only has to name addresses, because node-cache ends without one.
// Without the upstream Service (link-local) its name is not used.
function nodeCacheArgs(listenAddresses: readonly string[]): string[] {
  return [
    "-localip",
    listenAddresses.join(","),
    "-conf",
    "/run/node-cache/Corefile",
    "-basecorefile",
    "/etc/coredns/Corefile.base",
    "-upstreamsvc",
    upstreamServiceName,
    "-setupinterface=false",
    "-setupiptables=false",
    "-skipteardown=true",
  ];
}

function stubZones(props: NodeLocalDnsProps): number {
  return Object.keys(props.stubDomains ?? {}).length;
}
