import type { ApiObject } from "cdk8s";
import type { Container, DaemonSetSpec, PodSpec } from "cdk8s-plus-27/lib/imports/k8s";
import type { Construct } from "constructs";
import type { Cluster } from "../model/cluster/cluster";
import type { NodeAgentSettings, NodeLocalDnsSettings } from "../model/cluster/node-local-dns";
import { configHash, healthPort } from "../model/corefile/hash";
import {
  cacheGraceSeconds,
  cacheMetricsPort,
  cacheReadyPort,
  cacheVariables,
  healthHost,
  nodeLocalDnsCorefile,
  saysWhenStopping,
} from "../model/corefile/node-local-dns";
import { renderCorefile } from "../model/corefile/render";
import { keep } from "../model/gitops/annotations";
import { dnsServerIngress, upstreamEgress } from "../model/network-policies/pod-rules";
import { corefileVariables, stoppingPath } from "../model/node-programs";
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
} from "./pod-parts";
import { agentConfigText, ruleWriter, ruleWriterVolumes, xtablesLock } from "./rule-writer";

const name = names.nodeLocalDns;
const labels = { "k8s-app": name } as const;
const minReadySeconds = 3;

/** A DNS cache on every node and, if it needs one, the Service through which it reaches the cluster DNS. */
export class NodeLocalDns extends Component {
  protected readonly stage = "nodeLocalDns";
  /** Determined by kube-proxy's mode and the interception. */
  readonly queryPath: QueryPath;
  readonly serviceAccount: ApiObject;
  /** Where the cache asks on a miss, if the DNS Service's own address would lead back to it. */
  readonly upstreamService?: ApiObject;
  readonly configMap: ApiObject;
  /** Configuration of `agent node-setup`; only if nodes have our link and rules. */
  readonly agentConfigMap?: ApiObject;
  readonly daemonSet: ApiObject;
  /** Only with `networkPolicies` and Cilium: a policy has no effect on the host's network. */
  readonly networkPolicy?: ApiObject;
  /** Headless, for metrics. */
  readonly service: ApiObject;
  readonly localRedirectPolicy?: LocalRedirectPolicy;

  /** @throws Error with everything that is wrong with the props, or if the cluster has no cache. */
  constructor(scope: Construct, id: string, props: ClusterDnsProps | Cluster) {
    super(scope, id, props);
    const settings = this.cluster.components.nodeLocalDns;
    if (!settings) {
      // A note says why there is none although nothing turns it off.
      const reason =
        this.cluster.notes.find((note) => note.startsWith("no node cache")) ??
        `nodeLocalDNS.state is ${this.cluster.queryPath?.state ?? "disabled"}; accepted: enabled`;
      throw new Error(`${this.node.path} has no cache to construct: ${reason}`);
    }
    const { queryPath, nodeSetup } = settings;
    this.queryPath = queryPath;

    this.serviceAccount = this.add("ServiceAccount", { metadata: { name }, automountServiceAccountToken: false });
    // Before the pods: the kubelet passes its address only to containers that start after it exists.
    if (queryPath.clusterServers === "upstream-service") this.upstreamService = this.addUpstreamService();
    const corefile = renderCorefile(nodeLocalDnsCorefile(settings));
    this.configMap = this.addHashedConfigMap(name, labels, "Corefile", corefile);
    if (nodeSetup) {
      const text = agentConfigText(nodeSetup);
      this.agentConfigMap = this.addHashedConfigMap(names.nodeSetup, labels, "config.json", text);
    }
    const policies = this.cluster.networkPolicies;
    if (policies && !policies.onlyWebhook && !queryPath.linkMadeBy)
      this.networkPolicy = this.addNetworkPolicy(name, labels, {
        ingress: dnsServerIngress(cacheMetricsPort, policies.metricsNamespaces),
        egress: upstreamEgress(settings.names.outside),
      });
    const hash = configHash(`${corefile}\n${settings.image}`);
    const setup = nodeSetup && setupContainer(nodeSetup, queryPath, hash, configHash(corefile));
    this.daemonSet = this.add(
      "DaemonSet",
      {
        metadata: { name, labels },
        spec: {
          selector: { matchLabels: labels },
          ...rollout(queryPath),
          revisionHistoryLimit: 10,
          template: {
            metadata: this.labelled(labels, this.scraped(cacheMetricsPort, settings.metricsAddress)),
            spec: this.podSpec(settings, hash, setup),
          },
        },
      },
      {
        ...(queryPath.linkMadeBy === "node-cache"
          ? {}
          : { [`minReadySeconds: ${minReadySeconds}`]: "a new cache answers next to the old one before that stops" }),
        [`port: ${healthPort(hash)}`]: "HEALTH_PORT",
        "name: CONFIG_HASH": "hash of Corefile and image: tells the new cache from the old one next to it",
        "name: HEALTH_PORT": "derived from that hash: two caches share their node's network during a rollout",
        [`path: ${stoppingPath}`]: "the watchdog sends no queries to a cache that closes its sockets",
        [`port: ${cacheReadyPort}`]: "not ready as soon as it is told to stop: Cilium sends it no more queries",
        "name: COREFILE_HASH": "another Corefile is refused, while the cache before would answer its readiness probe",
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
        // Recreated, it would have a new address, which running caches only learn when they restart.
        annotations: keep,
      },
      spec: {
        type: "ClusterIP",
        // The first family is enough: the cache reaches the cluster DNS at one address.
        ipFamilies: families.slice(0, 1),
        ipFamilyPolicy: "SingleStack",
        selector: authoritativeLabels,
        ports: dnsServicePorts,
        trafficDistribution,
      },
    });
  }

  private podSpec(settings: NodeLocalDnsSettings, hash: string, setup: Plain<Container> | undefined): Plain<PodSpec> {
    const { queryPath } = settings;
    const watchedBy = this.cluster.components.watchdog?.config;
    return {
      priorityClassName: "system-node-critical",
      serviceAccountName: name,
      automountServiceAccountToken: false,
      ...(queryPath.linkMadeBy ? { hostNetwork: true } : {}),
      dnsPolicy: "Default",
      // The upstream Service's address comes as an environment variable.
      enableServiceLinks: queryPath.clusterServers === "upstream-service",
      securityContext: { seccompProfile: { type: "RuntimeDefault" } },
      ...placement(settings.placement),
      // Adding addresses before the listener exists is safe: until a socket listens, the rules let every packet through
      // to the cluster DNS.
      ...(setup
        ? {
            terminationGracePeriodSeconds: cacheGraceSeconds[watchedBy === undefined ? "unwatched" : "watched"],
            initContainers: [setup],
          }
        : {}),
      containers: [{ ...container(settings, hash), ...toldWhenStopping(watchedBy?.healthPort) }],
      volumes: [
        configVolume(configMount.name, this.configMap.name, "Corefile", corefileName(queryPath)),
        ...(this.agentConfigMap ? ruleWriterVolumes(this.agentConfigMap.name, true) : []),
        ...(queryPath.linkMadeBy === "node-cache" ? [xtablesLock.volume] : []),
        ...(queryPath.engine === "node-cache" ? [{ name: "run", emptyDir: {} }] : []),
      ],
    };
  }
}

const configMount = { name: "config-volume", mountPath: "/etc/coredns", readOnly: true } as const;

function corefileName({ engine }: QueryPath): string {
  return engine === "node-cache" ? "Corefile.base" : "Corefile";
}

// Removing rules that node-cache left in iptables-legacy takes NET_RAW and the lock, whichever filter we use.
function setupContainer(
  nodeSetup: NodeAgentSettings,
  queryPath: QueryPath,
  hash: string,
  corefileHash: string,
): Plain<Container> {
  const setup = ruleWriter("node-setup", nodeSetup, true);
  return {
    ...setup,
    env: [
      ...(setup.env ?? []),
      { name: cacheVariables.configHash, value: hash },
      { name: cacheVariables.healthPort, value: String(healthPort(hash)) },
      { name: corefileVariables.path, value: `${configMount.mountPath}/${corefileName(queryPath)}` },
      { name: corefileVariables.hash, value: corefileHash },
    ],
    volumeMounts: [...(setup.volumeMounts ?? []), configMount],
  };
}

/**
 * The watchdog sends nothing to a cache that is about to close its sockets. If it is down, the hook fails, and nothing
 * else does.
 */
function toldWhenStopping(port: number | undefined): Plain<Pick<Container, "lifecycle">> {
  if (port === undefined) return {};
  return { lifecycle: { preStop: { httpGet: { host: "127.0.0.1", path: stoppingPath, port, scheme: "HTTP" } } } };
}

/**
 * A new cache (SO_REUSEPORT) serves next to the old one before that stops; being ready for half its lameduck time is
 * enough. Two that make the rules themselves would remove each other's.
 */
function rollout({ linkMadeBy }: QueryPath): Plain<Pick<DaemonSetSpec, "minReadySeconds" | "updateStrategy">> {
  const [maxSurge, maxUnavailable] = linkMadeBy === "node-cache" ? [0, "10%"] : ["10%", 0];
  return { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } }, minReadySeconds };
}

function container(settings: NodeLocalDnsSettings, hash: string): Plain<Container> {
  const { image, queryPath } = settings;
  const { engine, linkMadeBy } = queryPath;
  const port = healthPort(hash);
  const probe = (timing: Parameters<typeof httpProbe>[2]) => httpProbe("/health", port, timing, healthHost(queryPath));
  // Cilium sends queries past a cache once it is not ready.
  const [every, failures] = linkMadeBy ? [2, 3] : [1, 2];
  const readiness = { periodSeconds: every, timeoutSeconds: every, failureThreshold: failures, successThreshold: 1 };
  return {
    name: "node-cache",
    image,
    imagePullPolicy: "IfNotPresent",
    args: engine === "node-cache" ? nodeCacheArgs(settings, port) : ["-conf", "/etc/coredns/Corefile"],
    env: [
      { name: cacheVariables.podName, valueFrom: fieldRef("metadata.name") },
      { name: cacheVariables.configHash, value: hash },
      { name: cacheVariables.healthPort, value: String(port) },
      ...goEnvironment(settings.resources),
      ...(linkMadeBy ? [{ name: cacheVariables.nodeAddress, valueFrom: fieldRef("status.hostIP") }] : []),
    ],
    // On the host's network, a declared port becomes a host port, and the scheduler would reject the surge pod.
    ...(linkMadeBy ? {} : { ports: dnsContainerPorts }),
    resources: resources(settings.resources),
    livenessProbe: probe({
      initialDelaySeconds: 60,
      timeoutSeconds: 5,
      failureThreshold: 3,
      periodSeconds: 10,
      successThreshold: 1,
    }),
    readinessProbe: saysWhenStopping(queryPath) ? httpProbe("/ready", cacheReadyPort, readiness) : probe(readiness),
    // Root, but with no permissions except for port 53. Both engines need the same user to share the port in a surge
    // update, and an unprivileged user cannot bind it on the host's network.
    securityContext: {
      ...confined(linkMadeBy === "node-cache" ? ["NET_ADMIN", "NET_BIND_SERVICE", "NET_RAW"] : ["NET_BIND_SERVICE"]),
      // Its image's iptables becomes a link to the node's backend, nft or legacy, when it first runs.
      ...(linkMadeBy === "node-cache" ? { readOnlyRootFilesystem: false } : {}),
      runAsUser: 0,
    },
    volumeMounts: [
      configMount,
      ...(engine === "node-cache" ? [{ name: "run", mountPath: "/run/node-cache" }] : []),
      ...(linkMadeBy === "node-cache" ? [xtablesLock.mount] : []),
    ],
  };
}

// `-localip` always has to list addresses, because node-cache exits without one. Without the upstream Service
// (link-local), its name is not used.
function nodeCacheArgs({ queryPath, metricsAddress }: NodeLocalDnsSettings, port: number): string[] {
  const { listenAddresses, podNameservers, linkMadeBy } = queryPath;
  return [
    "-localip",
    (listenAddresses.length > 0 ? listenAddresses : podNameservers).join(","),
    "-conf",
    "/run/node-cache/Corefile",
    "-basecorefile",
    "/etc/coredns/Corefile.base",
    "-upstreamsvc",
    names.upstreamService,
    ...(linkMadeBy === "node-cache"
      ? [
          // For the rules that it makes.
          "-health-port",
          String(port),
          // Metrics of link and rules, as far as other metrics can be reached.
          "-metrics-listen-address",
          `${metricsAddress === "loopback" ? "127.0.0.1" : `[$(${cacheVariables.nodeAddress})]`}:9353`,
          // The rules come when this file does, not after a minute. Not in a volume: a restarted container has none.
          "-pidfile",
          "/run/node-cache.pid",
        ]
      : ["-setupinterface=false", "-setupiptables=false", "-skipteardown=true"]),
  ];
}
