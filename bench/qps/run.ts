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
const names = ["kubernetes.default.svc.cluster.local", "www.outside.test"] as const;
const [clusterName, outsideName] = names;

/** By TCP apart, because outside names are not cached there (docs/memory.md). */
const loads: readonly Load[] = [
  { protocol: "udp", names, perSecond: 500, seconds: 5 },
  { protocol: "udp", names, seconds: 5 },
  { protocol: "tcp", names: [clusterName], perSecond: 500, seconds: 5 },
  { protocol: "tcp", names: [clusterName], seconds: 5 },
  { protocol: "tcp", names: [outsideName], seconds: 5 },
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
    const measured = new Map<string, Measured[]>();
    // In turn, so that other load on the machine affects all.
    for (let round = 0; round < rounds; round++)
      for (const load of loads)
        for (const path of paths) {
          const key = keyOf(path.name, load);
          measured.set(key, [...(measured.get(key) ?? []), await askFor(path.client, path.server, load)]);
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

function keyOf(path: string, load: Load): string {
  return `${textOf(load)}, ${path}`;
}

function textOf({ protocol, names: asked, perSecond }: Load): string {
  const what = asked === names ? "" : asked[0] === clusterName ? ", cluster name" : ", outside name";
  return `${protocol}${what}, ${perSecond === undefined ? "as many as it takes" : `${perSecond} a second`}`;
}

function print(paths: readonly Path[], measured: ReadonlyMap<string, readonly Measured[]>): void {
  console.log(`
From one pod, ${rounds} rounds in turns, medians; load average at the end ${loadavg()[0]?.toFixed(1)}

| asked | path | queries per second | compared with ${past} | p50, ms | p99, ms | lost |
|---|---|---|---|---|---|---|`);
  for (const load of loads)
    for (const { name } of paths) {
      const of = (path: string, value: (run: Measured) => number) =>
        median((measured.get(keyOf(path, load)) ?? []).map(value));
      const [perSecond, p50, p99] = [
        of(name, (run) => run.perSecond),
        of(name, (run) => run.p50Ms),
        of(name, (run) => run.p99Ms),
      ];
      const lost = (measured.get(keyOf(name, load)) ?? []).reduce((sum, run) => sum + run.lost, 0);
      const ratio = perSecond / of(past, (run) => run.perSecond);
      console.log(
        `| ${textOf(load)} | ${name} | ${perSecond.toFixed(0)} | ${load.perSecond === undefined ? ratio.toFixed(2) : ""} | ${p50.toFixed(2)} | ${p99.toFixed(2)} | ${lost} |`,
      );
      if (load.perSecond === undefined && name !== past)
        reportFigure({
          what: `${textOf(load)}, ${name}: time for a query`,
          kind: "ratio",
          value: 1 / ratio,
          unit: `of ${past}`,
        });
    }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

void main();
