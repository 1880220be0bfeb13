import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { clusterDns } from "../../rig/cluster/addresses";
import { agentImage, importAgentImage } from "../../rig/cluster/agent-image";
import { Cluster } from "../../rig/cluster/cluster";
import { deploy } from "../../rig/cluster/deploy";
import type { KubernetesObject } from "../../rig/cluster/kubectl";
import { pod, service } from "../../rig/cluster/objects";
import type { Pod } from "../../rig/cluster/pod";
import { reportFigure } from "../../rig/figures/report.mjs";
import { consoleProgress } from "../../rig/progress";
import { until } from "../../rig/until";
import { authoritativeLabels } from "../../src/model/object-names";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { askFor, type Load, type Measured } from "./ask";
import { nodeCacheImage } from "./node-cache-image";

const rounds = 3;

/** A cluster name, and an outside name that cluster DNS has cached: nothing waits for another server. */
const clusterName = ["kubernetes.default.svc.cluster.local"];
const outsideName = ["www.outside.test"];
const both = [...clusterName, ...outsideName];

/** Names of pods, of which there is one for each address. No cache has them: each is asked once. */
function* unknownNames(): Iterable<string> {
  for (let i = 0; i < 200_000; i++)
    yield `${[10, ++asked >> 16, asked >> 8, asked].map((part) => part & 255).join("-")}.default.pod.cluster.local`;
}
let asked = 0;

interface Row extends Pick<Load, "protocol"> {
  readonly what: string;
  readonly names: () => Iterable<string>;
  /** As many as the server takes if undefined. `half`: half of what the slowest path takes of the row before. */
  readonly perSecond?: number | "half";
}

/** By TCP apart, because outside names are not cached there (docs/memory.md). */
const rows: readonly Row[] = [
  { protocol: "udp", what: "hit", names: () => both, perSecond: 500 },
  { protocol: "udp", what: "hit", names: () => both },
  { protocol: "udp", what: "hit", names: () => both, perSecond: "half" },
  { protocol: "udp", what: "miss", names: unknownNames, perSecond: 500 },
  { protocol: "udp", what: "miss", names: unknownNames },
  { protocol: "udp", what: "miss", names: unknownNames, perSecond: "half" },
  { protocol: "tcp", what: "cluster name", names: () => clusterName, perSecond: 500 },
  { protocol: "tcp", what: "cluster name", names: () => clusterName },
  { protocol: "tcp", what: "outside name", names: () => outsideName },
];

/** A build of upstream's node-cache (docs/development.md). */
const nodeCache = process.env["CLUSTER_DNS_NODE_CACHE"];

const props = {
  clusterDNS: [clusterDns.ipv4],
  kubeProxyMode: "iptables",
  nodeLocalDNS: { interception: "service-ip" },
} satisfies ClusterDnsProps;

interface Path {
  readonly name: string;
  readonly client: Pod;
  readonly server: string;
}

async function main(): Promise<void> {
  const clusters: Cluster[] = [];
  try {
    const ours = await up("ours", clusters);
    await importAgentImage(ours);
    const client = await clientOf(ours, { ...props, agentImage });
    const paths: Path[] = [
      { name: past, ...client, server: await straight(ours) },
      { name: "node cache, with agent", ...client, server: clusterDns.ipv4 },
    ];
    if (nodeCache === undefined)
      console.log("without upstream's node-cache: set CLUSTER_DNS_NODE_CACHE to a build of it");
    else
      paths.push({
        name: "upstream's node-cache",
        ...(await besideUpstreams(clusters, nodeCache)),
        server: clusterDns.ipv4,
      });
    for (const { client: asking, server } of paths) await until("answers", 60, () => answers(asking, server));
    const measured = rows.map(() => paths.map((): Measured[] => []));
    // In turn, so that other load on the machine affects all.
    for (let round = 0; round < rounds; round++)
      for (const [i, { protocol, names, perSecond }] of rows.entries()) {
        const taken = measured[i - 1]?.map(([first]) => first?.perSecond ?? 0) ?? [];
        const rate = perSecond === "half" ? Math.round(Math.min(...taken) / 2) : perSecond;
        for (const [j, { client: asking, server }] of paths.entries())
          measured[i]?.[j]?.push(
            await askFor(asking, server, {
              protocol,
              names: names(),
              seconds: 5,
              ...(rate === undefined ? {} : { perSecond: rate }),
            }),
          );
      }
    print(paths, measured);
  } finally {
    for (const cluster of clusters) await cluster.down();
  }
}

const past = "kube-proxy alone";

async function up(name: string, clusters: Cluster[]): Promise<Cluster> {
  const options = { proxyMode: "iptables", nodes: 2, ipFamilies: "IPv4", ownerPid: process.pid } as const;
  const cluster = await Cluster.up({ ...options, name: `qps-${name}-${process.pid}` }, consoleProgress());
  clusters.push(cluster);
  return cluster;
}

/** A cluster whose nodes run upstream's node-cache with its own rules: our rendering without `agentImage`. */
async function besideUpstreams(clusters: Cluster[], binary: string): Promise<Pick<Path, "client">> {
  const cluster = await up("upstream", clusters);
  const archive = cluster.names.file("node-cache.tar");
  writeFileSync(archive, nodeCacheImage(binary));
  await cluster.importImage(archive);
  // It takes over the link that it finds, and makes a dummy, which not every kernel has.
  for (const node of cluster.nodes) await node.exec(["ip", "link", "add", "nodelocaldns", "type", "bridge"]);
  return clientOf(cluster, props);
}

async function clientOf(cluster: Cluster, described: ClusterDnsProps): Promise<Pick<Path, "client">> {
  await cluster.kubectl.apply([pod({ name: "client", node: "node-1" })]);
  await deploy(cluster, described);
  await cluster.kubectl.run(["wait", "--for=condition=Ready", "pod/client", "--timeout=60s"], { timeoutSeconds: 70 });
  return { client: await cluster.pod("client") };
}

/** The same servers at an address that no cache listens on. */
async function straight({ kubectl }: Cluster): Promise<string> {
  const ports = [
    { name: "dns", port: 53, protocol: "UDP" },
    { name: "dns-tcp", port: 53, protocol: "TCP" },
  ];
  await kubectl.apply([
    service({ name: "straight", namespace: "kube-system", selector: authoritativeLabels, spec: { ports } }),
  ]);
  return (await kubectl.get<Service>("service", "straight", "kube-system"))?.spec.clusterIP ?? "";
}

interface Service extends KubernetesObject {
  readonly spec: { readonly clusterIP: string };
}

async function answers(client: Pod, server: string): Promise<boolean> {
  return (await client.attempt(["dig", `@${server}`, "+time=1", "+tries=1", "www.outside.test"])).code === 0;
}

function textOf({ protocol, what, perSecond: rateOf }: Row): string {
  const rate = rateOf === undefined ? "as many as it takes" : rateOf === "half" ? "half" : `${rateOf} a second`;
  return `${protocol}, ${what}, ${rate}`;
}

function print(paths: readonly Path[], measured: readonly (readonly (readonly Measured[])[])[]): void {
  console.log(`
From one pod, ${rounds} rounds in turns, medians; load average at the end ${loadavg()[0]?.toFixed(1)}

| asked | path | queries per second | compared with ${past} | p50, ms | p99, ms | p99.9, ms | lost |
|---|---|---|---|---|---|---|---|`);
  for (const [i, row] of rows.entries()) {
    const [alone] = measured[i] ?? [];
    for (const [j, { name }] of paths.entries()) {
      const runs = measured[i]?.[j] ?? [];
      const taken = median(runs, "perSecond");
      const ratio = taken / median(alone ?? [], "perSecond");
      const times = (["p50Ms", "p99Ms", "p999Ms"] as const).map((key) => median(runs, key).toFixed(2));
      const lost = runs.reduce((sum, run) => sum + run.lost, 0);
      console.log(
        `| ${textOf(row)} | ${name} | ${taken.toFixed(0)} | ${row.perSecond === undefined ? ratio.toFixed(2) : ""} | ${times.join(" | ")} | ${lost} |`,
      );
      if (row.perSecond === undefined && name !== past)
        reportFigure({
          what: `${textOf(row)}, ${name}: time for a query`,
          kind: "ratio",
          value: 1 / ratio,
          unit: `of ${past}`,
        });
    }
  }
}

function median(runs: readonly Measured[], key: keyof Measured): number {
  return runs.map((run) => run[key]).sort((a, b) => a - b)[Math.floor(runs.length / 2)] ?? NaN;
}

void main();
