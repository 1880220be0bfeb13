import { renderCluster } from "../../../src/charts/render-cluster";
import { resolve } from "../../../src/model/check/resolve";
import { diagnose } from "../../../src/model/doctor/diagnose";
import type { Finding } from "../../../src/model/doctor/finding";
import type { FindingId } from "../../../src/model/doctor/findings";
import { Patient } from "../../../src/model/doctor/patient";
import { judgeOfLogs } from "../../../src/model/doctor/judge-log";
import { printSuggestion } from "../../../src/model/doctor/suggestions";
import type { ClusterState, ProxyConfiguration } from "../../../src/model/running/cluster-state";
import { type Described, objectsToAsk, rendered } from "../../../src/model/doctor/described";
import type {
  ConfigMap,
  DisruptionBudget,
  Event,
  Job,
  Lease,
  NetworkPolicy,
  Node,
  Pod,
  Service,
  WebhookConfiguration,
  Workload,
} from "../../../src/model/kubernetes/kinds";
import type { Metadata } from "../../../src/model/kubernetes/object";
import { parseSamples } from "../../../src/model/kubernetes/samples";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { grouped } from "../../../src/model/syntax/grouped";

export const props: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "agent:1" };

/** As kubeadm's ConfigMap has it. */
function proxyConfiguration(mode: string): ProxyConfiguration {
  return { mode, source: "ConfigMap kube-proxy (config.conf)", configMap: "kube-proxy" };
}

const v1 = <Kind extends string>(kind: Kind) => ({ apiVersion: "v1", kind });
const is = (type: string) => [{ type, status: "True" }];

const nodes: readonly Node[] = ["node-1", "node-2"].map((name) => ({
  ...v1("Node"),
  metadata: { name, labels: { "kubernetes.io/os": "linux" } },
  status: { nodeInfo: { kubeletVersion: "v1.37.1" } },
}));

export function described(given: ClusterDnsProps = props): Described {
  const { cluster, problems } = resolve(given);
  if (!cluster) throw new Error(JSON.stringify(problems));
  return { name: "prod", cluster, components: renderCluster(cluster).components, folder: "dist" };
}

/** One of which everything was read. */
export type Healthy = { readonly [part in keyof ClusterState]: NonNullable<ClusterState[part]> };

/**
 * A snapshot of a cluster that is as described, with all pods ready.
 * @param authority The certificate that signed the webhook's.
 */
export function healthy(from: Described = described(), authority = ""): Healthy {
  const { cluster } = from;
  const { families } = cluster;
  const services = rendered<Service>(from, "Service").map((each) => ({
    ...each,
    spec: { clusterIPs: [families[0] === "IPv6" ? "fd00:96::1:1" : "10.96.1.1"], ...each.spec },
  }));
  const workloads = rendered<Workload>(from, "Deployment", "DaemonSet").map((each) => ({
    ...each,
    ...(each.kind === "DaemonSet" && { status: { desiredNumberScheduled: nodes.length } }),
  }));
  const pods = workloads.flatMap((each, i) =>
    Array.from({ length: each.kind === "DaemonSet" ? nodes.length : (each.spec.replicas ?? 1) }, (_, n) =>
      podOf(each, [i, n], families),
    ),
  );
  return {
    now: new Date("2026-11-01T00:00:00Z"),
    serverVersion: "v1.37.1",
    dnsNamespaces: [...new Set(["kube-system", cluster.said.authoritativeDNS.service.namespace])],
    nodes,
    namespaces: ["default", "kube-system", "bar", "web"].map((name) => ({ ...v1("Namespace"), metadata: { name } })),
    pods,
    services,
    endpointSlices: services.map(({ metadata: { name }, spec }) => ({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name, labels: { "kubernetes.io/service-name": name } },
      endpoints: pods
        .filter(({ metadata }) => metadata.labels?.["k8s-app"] === spec.selector?.["k8s-app"])
        .flatMap(({ status }) => status?.podIPs ?? [])
        .map(({ ip }) => ({ addresses: [ip], conditions: { ready: true } })),
      ports: (spec.ports ?? []).map((each) => ({ ...each, port: Number(each.targetPort ?? each.port) })),
    })),
    configMaps: rendered<ConfigMap>(from, "ConfigMap").filter(({ metadata }) => metadata.namespace === "kube-system"),
    workloads,
    jobs: rendered<Job>(from, "Job").map((each) => ({ ...each, status: { conditions: is("Complete") } })),
    events: [],
    leases: ["apiserver-1", "kube-controller-manager", "kube-scheduler"].map((name) => renewed(name, 2)),
    networkPolicies: rendered<NetworkPolicy>(from, "NetworkPolicy"),
    disruptionBudgets: rendered<DisruptionBudget>(from, "PodDisruptionBudget"),
    webhooks: (["Mutating", "Validating"] as const).flatMap((which) =>
      rendered<WebhookConfiguration>(from, `${which}WebhookConfiguration`).map((each) => ({
        ...each,
        webhooks: (each.webhooks ?? []).map((webhook) => trusting(webhook, authority)),
      })),
    ),
    asked: new Map(grouped(objectsToAsk(from), ({ kind }) => kind)),
    called: new Map(),
    kubeProxies: new Map(nodes.map(({ metadata: { name } }) => [name, undefined])),
    others: [],
    proxyConfigurations: [proxyConfiguration(cluster.said.kubeProxyMode)],
    kubelets: new Map(nodes.map(({ metadata: { name } }) => [name, cluster.kubelet])),
    metrics: new Map(pods.filter(isWatchdog).map(({ metadata: { name } }) => [name, parseSamples(watchdogMetrics)])),
    forwarded: new Map(),
    logs: new Map(),
    unread: [],
  };
}

/** A Lease that was renewed so many seconds ago. */
export function renewed(name: string, seconds: number): Lease {
  const renewTime = new Date(Date.UTC(2026, 10, 1) - seconds * 1000).toISOString();
  const metadata = { name, namespace: "kube-system" };
  const spec = { renewTime, holderIdentity: "cp-1_1" };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
}

/** What is otherwise than in a healthy cluster; its logs as they were written. */
export type Change = Partial<Omit<ClusterState, "logs">> & {
  readonly logs?: ReadonlyMap<string, ReadonlyMap<string, string>>;
};

/** What the doctor finds in a healthy cluster once this is changed. */
export function findingsOf({ logs = new Map(), ...change }: Change, from = described()): Finding[] {
  const state = { ...healthy(from), ...change };
  const judge = judgeOfLogs(new Patient(state, from));
  const judged = [...logs].map(([name, containers]) => {
    const facts = [...containers].map(([container, log]) => [container, judge(name, container, log)] as const);
    return [name, new Map(facts)] as const;
  });
  return diagnose({ ...state, logs: new Map(judged) }, from);
}

/** The same without the commands. */
export function found(change: Change, from?: Described): Pick<Finding, "id" | "where" | "evidence">[] {
  return findingsOf(change, from).map(({ id, where, evidence }) => ({ id, where, evidence }));
}

/** Only what kinds of them there are. */
export function idsOf(change: Change, from?: Described): FindingId[] {
  return findingsOf(change, from).map(({ id }) => id);
}

/** The last command of the first finding. */
export function lastOf(change: Change, from?: Described): string {
  return commands(findingsOf(change, from)[0]).at(-1) ?? "";
}

/** A finding's commands as they are printed. */
export function commands({ next }: Pick<Finding, "next"> = { next: [] }): string[] {
  return next.map((step) => printSuggestion(step, undefined));
}

export function event(kind: string, name: string, reason: string, message: string, minute = 59): Event {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${name}.${minute}`, namespace: "kube-system" },
    involvedObject: { kind, name },
    reason,
    message,
    lastTimestamp: `2026-10-31T23:${minute}:30Z`,
  };
}

export function pod(name: string, namespace: string, spec: Partial<Pod["spec"]> = {}, more?: Partial<Metadata>): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, ...more },
    spec: { containers: [{ name: "c", image: "registry.example/c:1" }], dnsPolicy: "ClusterFirst", ...spec },
    status: { phase: "Running", conditions: is("Ready") },
  };
}

function podOf(
  { kind, metadata, spec }: Workload,
  [workload, n]: readonly [number, number],
  families: readonly string[],
): Pod {
  const podIPs = families.map((each) => ({
    ip: `${each === "IPv6" ? "fd00:10:244::" : "10.244."}${workload}${each === "IPv6" ? ":" : "."}${n}`,
  }));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `${metadata.name}-${n}`,
      namespace: "kube-system",
      labels: { ...spec.selector?.matchLabels, ...(kind === "Deployment" && { "pod-template-hash": "5f9" }) },
      ownerReferences: [
        kind === "Deployment" ? { kind: "ReplicaSet", name: `${metadata.name}-5f9` } : { kind, name: metadata.name },
      ],
    },
    spec: { ...spec.template.spec, nodeName: `node-${n + 1}` },
    status: { phase: "Running", podIPs, conditions: is("Ready"), containerStatuses: [] },
  };
}

function isWatchdog({ metadata }: Pod): boolean {
  return metadata.labels?.["k8s-app"] === "node-local-dns-watchdog";
}

export function trusting(
  webhook: NonNullable<WebhookConfiguration["webhooks"]>[number],
  authority: string,
): NonNullable<WebhookConfiguration["webhooks"]>[number] {
  const caBundle = Buffer.from(authority).toString("base64");
  return { ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } };
}

const listener = 'listener="udp-10.96.0.10"';
export const watchdogMetrics = [
  "# HELP node_local_dns_watchdog_local Whether queries of pods go to the cache",
  `node_local_dns_watchdog_cache_up{${listener}} 1`,
  `node_local_dns_watchdog_local{${listener}} 1`,
  `node_local_dns_watchdog_foreign_listener{${listener}} 0`,
  `node_local_dns_watchdog_replies_lost{${listener}} 0`,
  "node_local_dns_watchdog_cluster_dns_up 1",
  "node_local_dns_watchdog_blocked 0",
  "node_local_dns_watchdog_leftover_rules 0",
  "node_local_dns_watchdog_rules_applied 1",
  'node_local_dns_watchdog_repairs_total{kind="rules"} 0',
].join("\n");
