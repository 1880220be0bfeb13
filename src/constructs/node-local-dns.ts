import type { ApiObject } from "cdk8s";
import type { Container, PodSpec } from "cdk8s-plus-27/lib/imports/k8s";
import type { Construct } from "constructs";
import type { Cluster } from "../model/cluster/cluster";
import type { NodeAgentSettings, NodeLocalDnsSettings } from "../model/cluster/node-local-dns";
import { configHash, healthPort } from "../model/corefile/hash";
import { cacheMetricsPort, cacheVariables, nodeLocalDnsCorefile } from "../model/corefile/node-local-dns";
import { renderCorefile } from "../model/corefile/render";
import { keep } from "../model/gitops";
import { authoritativeLabels, names } from "../model/object-names";
import type { ClusterDnsProps } from "../model/props/cluster-dns";
import type { QueryPath } from "../model/query-path/query-path";
import { Component } from "./component";
import { LocalRedirectPolicy } from "./local-redirect-policy";
import type { Plain } from "./plain";
import {
  configVolume,
  confined,
  dnsContainerPorts,
  dnsServicePorts,
  fieldRef,
  goEnvironment,
  goRemark,
  httpProbe,
  placement,
  resources,
  scraped,
} from "./pod-parts";
import { agentConfigText, ruleWriter, ruleWriterVolumes } from "./rule-writer";

const name = names.nodeLocalDns;
const labels = { "k8s-app": name } as const;
const minReadySeconds = 3;

/** A DNS cache on every node, and under Cilium the Service through which it reaches the cluster DNS. */
export class NodeLocalDns extends Component {
  protected readonly stage = "nodeLocalDns";
  /** What the mode of kube-proxy and the interception decide. */
  readonly queryPath: QueryPath;
  readonly serviceAccount: ApiObject;
  /** Where the cache asks on a miss; only under Cilium, where the DNS Service's own address leads back to the cache. */
  readonly upstreamService?: ApiObject;
  readonly configMap: ApiObject;
  /** What `agent node-setup` is told; only where nodes have a link and rules of ours. */
  readonly agentConfigMap?: ApiObject;
  readonly daemonSet: ApiObject;
  /** Headless, for metrics. */
  readonly service: ApiObject;
  readonly localRedirectPolicy?: LocalRedirectPolicy;

  /**
   * @throws Error with everything that is wrong with the props; also where the cluster has no cache.
   */
  constructor(scope: Construct, id: string, props: ClusterDnsProps | Cluster) {
    super(scope, id, props);
    const settings = this.cluster.components.nodeLocalDns;
    if (!settings) {
      const state = this.cluster.queryPath?.state ?? "disabled";
      throw new Error(`${this.node.path} nodeLocalDNS.state: ${state} has no cache to construct; accepted: enabled`);
    }
    const { queryPath, nodeSetup } = settings;
    this.queryPath = queryPath;

    this.serviceAccount = this.add("ServiceAccount", { metadata: { name }, automountServiceAccountToken: false });
    // Before the pods: the kubelet gives its address to containers that start after it exists.
    if (queryPath.clusterServers === "upstream-service") this.upstreamService = this.addUpstreamService();
    const corefile = renderCorefile(nodeLocalDnsCorefile(settings));
    this.configMap = this.addHashedConfigMap(name, labels, "Corefile", corefile);
    if (nodeSetup) {
      const text = agentConfigText(nodeSetup);
      this.agentConfigMap = this.addHashedConfigMap(names.nodeSetup, labels, "config.json", text);
    }
    const hash = configHash(`${corefile}\n${settings.image}`);
    this.daemonSet = this.add(
      "DaemonSet",
      {
        metadata: { name, labels },
        spec: {
          selector: { matchLabels: labels },
          // A new cache serves beside the old one (SO_REUSEPORT) before that one stops; half of its lameduck ready is enough.
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "10%", maxUnavailable: 0 } },
          minReadySeconds,
          revisionHistoryLimit: 10,
          template: {
            metadata: this.labelled(labels, scraped(cacheMetricsPort, settings.metricsAddress)),
            spec: this.podSpec(settings, hash),
          },
        },
      },
      {
        [`minReadySeconds: ${minReadySeconds}`]: "a new cache answers beside the old one before that one stops",
        [`port: ${healthPort(hash)}`]: "HEALTH_PORT",
        "name: CONFIG_HASH": "of Corefile and image: tells the new cache from the old one beside it",
        "name: HEALTH_PORT": "from that hash: two caches beside each other share the network of their node",
        ...goRemark,
      },
    );
    this.service = this.add("Service", {
      metadata: { name, labels },
      spec: {
        type: "ClusterIP",
        clusterIP: "None",
        selector: labels,
        ports: [{ name: "metrics", port: cacheMetricsPort, protocol: "TCP", targetPort: cacheMetricsPort }],
      },
    });
    if (queryPath.interception === "local-redirect")
      this.localRedirectPolicy = new LocalRedirectPolicy(this, "local-redirect", this.cluster);
  }

  private addUpstreamService(): ApiObject {
    const { families, trafficDistribution } = this.cluster;
    return this.add("Service", {
      metadata: {
        name: names.upstreamService,
        labels: { ...authoritativeLabels, "kubernetes.io/name": "KubeDNSUpstream" },
        // Made anew it would have another address than the one that running caches know, until they are restarted.
        annotations: keep,
      },
      spec: {
        type: "ClusterIP",
        // One family is enough, the first: the cache reaches the cluster DNS by one address.
        ipFamilies: families.slice(0, 1),
        ipFamilyPolicy: "SingleStack",
        selector: authoritativeLabels,
        ports: dnsServicePorts,
        trafficDistribution,
      },
    });
  }

  private podSpec(settings: NodeLocalDnsSettings, hash: string): Plain<PodSpec> {
    const { engine, queryPath, nodeSetup } = settings;
    return {
      priorityClassName: "system-node-critical",
      serviceAccountName: name,
      automountServiceAccountToken: false,
      ...(queryPath.hostNetwork ? { hostNetwork: true } : {}),
      dnsPolicy: "Default",
      // The upstream Service's address comes as an environment variable.
      enableServiceLinks: queryPath.clusterServers === "upstream-service",
      securityContext: { seccompProfile: { type: "RuntimeDefault" } },
      ...placement(settings.placement),
      // Addresses before the listener is safe: until a socket listens, the rules let every packet go on to cluster DNS.
      ...(nodeSetup ? { initContainers: [setupContainer(nodeSetup, hash)] } : {}),
      containers: [container(settings, hash)],
      volumes: [
        configVolume(
          "config-volume",
          this.configMap.name,
          "Corefile",
          engine === "node-cache" ? "Corefile.base" : "Corefile",
        ),
        ...(this.agentConfigMap ? ruleWriterVolumes(this.agentConfigMap.name, true) : []),
        ...(engine === "node-cache" ? [{ name: "run", emptyDir: {} }] : []),
      ],
    };
  }
}

// Rules that node-cache left in iptables-legacy take NET_RAW and the lock to remove, whatever filter we use.
function setupContainer(nodeSetup: NodeAgentSettings, hash: string): Plain<Container> {
  const setup = ruleWriter("node-setup", nodeSetup, true);
  return { ...setup, env: [...(setup.env ?? []), { name: cacheVariables.configHash, value: hash }] };
}

function container(settings: NodeLocalDnsSettings, hash: string): Plain<Container> {
  const { engine, image, queryPath } = settings;
  const port = healthPort(hash);
  const probe = (timing: Parameters<typeof httpProbe>[2]) =>
    httpProbe("/health", port, timing, queryPath.hostNetwork ? "127.0.0.1" : undefined);
  return {
    name: "node-cache",
    image,
    imagePullPolicy: "IfNotPresent",
    args: engine === "node-cache" ? nodeCacheArgs(queryPath) : ["-conf", "/etc/coredns/Corefile"],
    env: [
      { name: cacheVariables.podName, valueFrom: fieldRef("metadata.name") },
      { name: cacheVariables.configHash, value: hash },
      { name: cacheVariables.healthPort, value: String(port) },
      ...goEnvironment(settings.resources),
      ...(queryPath.hostNetwork ? [{ name: cacheVariables.nodeAddress, valueFrom: fieldRef("status.hostIP") }] : []),
    ],
    // On the host's network a declared port becomes a host port, and the scheduler would refuse the surge pod.
    ...(queryPath.hostNetwork ? {} : { ports: dnsContainerPorts }),
    resources: resources(settings.resources),
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
      ...(engine === "node-cache" ? [{ name: "run", mountPath: "/run/node-cache" }] : []),
    ],
  };
}

// Link, addresses and rules are the agent's: `-localip` only has to name addresses, because node-cache ends without one.
// Without the upstream Service (link-local) its name is not used.
function nodeCacheArgs({ listenAddresses, podNameservers }: QueryPath): string[] {
  return [
    "-localip",
    (listenAddresses.length > 0 ? listenAddresses : podNameservers).join(","),
    "-conf",
    "/run/node-cache/Corefile",
    "-basecorefile",
    "/etc/coredns/Corefile.base",
    "-upstreamsvc",
    names.upstreamService,
    "-setupinterface=false",
    "-setupiptables=false",
    "-skipteardown=true",
  ];
}
