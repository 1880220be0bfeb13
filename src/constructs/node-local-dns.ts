import type { ApiObject } from "cdk8s";
import type { Container, DaemonSetUpdateStrategy, PodSpec } from "cdk8s-plus-27/lib/imports/k8s";
import type { Construct } from "constructs";
import type { NodeAgentSettings, NodeLocalDnsSettings } from "../model/cluster/node-local-dns";
import { configHash, healthPort } from "../model/corefile/hash";
import {
  cacheFiles,
  cacheGraceSeconds,
  cacheMetricsPort,
  cacheReadyPort,
  cacheVariables,
  nodeLocalDnsCorefile,
} from "../model/corefile/node-local-dns";
import { renderCorefile } from "../model/corefile/render";
import { keep } from "../model/gitops/annotations";
import { anyTCP, dnsServerIngress, upstreamEgress } from "../model/network-policies/pod-rules";
import { corefileVariables, outsideServers, outsideServersVariable, stoppingPath } from "../model/node-programs";
import { authoritativeLabels, names } from "../model/object-names";
import type { QueryPath } from "../model/query-path/query-path";
import { atOnce } from "../model/size/rollout";
import { cacheContainer, configMount, outsideServersMount } from "./cache-container";
import { Component } from "./component";
import type { ComponentProps } from "./resolved-cluster";
import { LocalRedirectPolicy } from "./local-redirect-policy";
import type { Plain } from "./plain";
import { configVolume, dnsServicePorts, goRemark, placement, settledRemark } from "./pod-parts";
import { configText } from "./program";
import { ruleWriter, ruleWriterVolumes, xtablesLock } from "./rule-writer";
import type { Remarks } from "./remarks";

const name = names.nodeLocalDns;
const labels = { "k8s-app": name } as const;

/** A DNS cache on every node and, if it needs one, the Service through which it reaches the cluster DNS. */
export class NodeLocalDns extends Component {
  protected readonly stage = "nodeLocalDns";
  /** Determined by kube-proxy's mode and the interception. */
  readonly queryPath: QueryPath;
  /** An account without permissions. */
  readonly serviceAccount: ApiObject;
  /** Where the cache asks on a miss, if the DNS Service's own address would lead back to it. */
  readonly upstreamService?: ApiObject;
  /** The cache's Corefile; its name ends with a hash of it. */
  readonly configMap: ApiObject;
  /** Configuration of `agent node-setup`; only if nodes have our link and rules. */
  readonly agentConfigMap?: ApiObject;
  /** `node-local-dns`, a pod on each of its nodes. */
  readonly daemonSet: ApiObject;
  /** Only with `networkPolicies` and Cilium: a policy has no effect on the host's network. */
  readonly networkPolicy?: ApiObject;
  /** Headless, for metrics. */
  readonly service: ApiObject;
  readonly localRedirectPolicy?: LocalRedirectPolicy;

  /** @throws Error with everything that is wrong with the props, or if the cluster has no cache. */
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id, props);
    const state = this.cluster.queryPath?.state ?? "disabled";
    const reason = this.cluster.whyNoCache ?? `nodeLocalDNS.state is ${state}; accepted: enabled`;
    const settings = this.needed(this.cluster.components.nodeLocalDns, `has no cache to construct: ${reason}`);
    const { queryPath, nodeSetup } = settings;
    this.queryPath = queryPath;

    this.serviceAccount = this.add("ServiceAccount", { metadata: { name }, automountServiceAccountToken: false });
    // Before the pods: the kubelet passes its address only to containers that start after it exists.
    if (queryPath.clusterServers === "upstream-service") this.upstreamService = this.addUpstreamService();
    const corefile = renderCorefile(nodeLocalDnsCorefile(settings));
    const files = cacheFiles(settings.names);
    this.configMap = this.addHashedConfigMap(name, labels, "Corefile", corefile, files);
    if (nodeSetup) {
      const text = configText(nodeSetup.config);
      this.agentConfigMap = this.addHashedConfigMap(names.nodeSetup, labels, "config.json", text);
    }
    const policies = this.cluster.networkPolicies;
    if (policies && !policies.onlyWebhook && !queryPath.linkMadeBy)
      this.networkPolicy = this.addNetworkPolicy(name, labels, {
        ingress: dnsServerIngress(cacheMetricsPort, policies.metricsNamespaces),
        egress: [
          ...upstreamEgress(settings.names.outside, this.cluster.said.authoritativeDNS.service.targetPort),
          ...(settings.names.observation?.dnstap ? [anyTCP] : []),
        ],
      });
    const hash = configHash([corefile, settings.image, ...Object.values(files)].join("\n"));
    const setup = nodeSetup && setupContainer(nodeSetup, queryPath, hash, configHash(corefile));
    this.daemonSet = this.add(
      "DaemonSet",
      {
        metadata: { name, labels },
        spec: {
          selector: { matchLabels: labels },
          updateStrategy: updateStrategy(queryPath, atOnce(10, this.cluster.said.size)),
          revisionHistoryLimit: 10,
          template: {
            metadata: this.labelled(labels, this.scraped(cacheMetricsPort, settings.metricsAddress)),
            spec: this.podSpec(settings, hash, setup),
          },
        },
      },
      remarks(hash),
    );
    this.service = this.addMetricsService(name, labels, cacheMetricsPort);
    if (queryPath.interception === "local-redirect")
      this.localRedirectPolicy = new LocalRedirectPolicy(this, "local-redirect", this.cluster);
  }

  private addUpstreamService(): ApiObject {
    const { families, said } = this.cluster;
    const { selector, targetPort } = said.authoritativeDNS.service;
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
        selector: { ...selector },
        ports: dnsServicePorts(targetPort),
        trafficDistribution: said.trafficDistribution,
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
      containers: [
        {
          ...cacheContainer(settings, this.cluster.said.authoritativeDNS.service, hash),
          ...toldWhenStopping(watchedBy?.healthPort),
        },
      ],
      volumes: [
        configVolume(
          configMount.name,
          this.configMap.name,
          "Corefile",
          corefileName(queryPath),
          Object.keys(cacheFiles(settings.names)),
        ),
        ...(this.agentConfigMap ? ruleWriterVolumes(this.agentConfigMap.name, true) : []),
        ...(queryPath.linkMadeBy === "node-cache" ? [xtablesLock.volume] : []),
        ...(queryPath.engine === "node-cache" ? [{ name: "run", emptyDir: {} }] : []),
        ...(settings.nodeSetup?.config.resolvConf === undefined
          ? []
          : [{ name: outsideServersMount.name, emptyDir: {} }]),
      ],
    };
  }
}

function remarks(hash: string): Remarks {
  return {
    ...settledRemark,
    [`port: ${healthPort(hash)}`]: "HEALTH_PORT",
    "name: CONFIG_HASH": "hash of Corefile and image: tells the new cache from the old one next to it",
    "name: HEALTH_PORT": "derived from that hash: two caches share their node's network during a rollout",
    [`path: ${stoppingPath}`]: "the watchdog sends no queries to a cache that closes its sockets",
    [`port: ${cacheReadyPort}`]: "not ready as soon as it is told to stop: Cilium sends it no more queries",
    "name: COREFILE_HASH": "another Corefile is refused, while the cache before would answer its readiness probe",
    ...goRemark,
  };
}

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
  const asksNode = nodeSetup.config.resolvConf !== undefined;
  return {
    ...setup,
    env: [
      ...(setup.env ?? []),
      { name: cacheVariables.configHash, value: hash },
      { name: cacheVariables.healthPort, value: String(healthPort(hash)) },
      { name: corefileVariables.path, value: `${configMount.mountPath}/${corefileName(queryPath)}` },
      { name: corefileVariables.hash, value: corefileHash },
      ...(asksNode ? [{ name: outsideServersVariable, value: outsideServers.file }] : []),
    ],
    volumeMounts: [...(setup.volumeMounts ?? []), configMount, ...(asksNode ? [outsideServersMount] : [])],
  };
}

/** The watchdog sends nothing to a cache that is about to close its sockets; if it is down, only the hook fails. */
function toldWhenStopping(port: number | undefined): Plain<Pick<Container, "lifecycle">> {
  if (port === undefined) return {};
  return { lifecycle: { preStop: { httpGet: { host: "127.0.0.1", path: stoppingPath, port, scheme: "HTTP" } } } };
}

/** A new cache serves next to the old one (SO_REUSEPORT). Two that make the rules would remove each other's. */
function updateStrategy({ linkMadeBy }: QueryPath, share: string | number): Plain<DaemonSetUpdateStrategy> {
  const [maxSurge, maxUnavailable] = linkMadeBy === "node-cache" ? [0, share] : [share, 0];
  return { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } };
}
