import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { clusterDns } from "../../rig/cluster/addresses";
import { agentImage, importAgentImage } from "../../rig/cluster/agent-image";
import { Cluster } from "../../rig/cluster/cluster";
import { deploy } from "../../rig/cluster/deploy";
import type { KubernetesObject } from "../../rig/cluster/kubectl";
import { pod } from "../../rig/cluster/objects";
import type { Pod } from "../../rig/cluster/pod";
import { consoleProgress } from "../../rig/progress";
import { until } from "../../rig/until";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";

const rounds = 3;
const seconds = 10;
/** Outstanding queries, dnsperf's default. */
const outstanding = 100;

/** A cluster name, and an outside name that cluster DNS has cached: nothing waits for another server. */
const questions = "kubernetes.default.svc.cluster.local A\nwww.outside.test A\n";

const props: ClusterDnsProps = {
  clusterDNS: [clusterDns.ipv4],
  kubeProxyMode: "nftables",
  agentImage,
  nodeLocalDNS: { interception: "service-ip" },
};

interface Measured {
  readonly perSecond: number;
  readonly meanMs: number;
  readonly lost: number;
}

async function main(): Promise<void> {
  const options = { name: `qps-${process.pid}`, proxyMode: "nftables", nodes: 2, ipFamilies: "IPv4" } as const;
  const cluster = await Cluster.up({ ...options, ownerPid: process.pid }, consoleProgress());
  try {
    const { kubectl } = cluster;
    await importAgentImage(cluster);
    await kubectl.apply([pod({ name: "client", node: "node-1" })]);
    await deploy(cluster, props);
    await kubectl.run(["wait", "--for=condition=Ready", "pod/client", "--timeout=60s"], { timeoutSeconds: 70 });
    const client = await cluster.pod("client");
    const questionFile = cluster.names.file("questions"); // dnsperf reads it repeatedly
    writeFileSync(questionFile, questions);
    const upstream = await kubectl.get<Service>("service", "kube-dns-upstream", "kube-system");
    const servers = { "node cache": clusterDns.ipv4, "straight to cluster DNS": upstream?.spec.clusterIP ?? "" };
    const measured = new Map<string, Measured[]>();
    for (const server of Object.values(servers)) await until("answers", 30, () => answers(client, server));
    // in turn, so that other load on the machine affects both
    for (let round = 0; round < rounds; round++)
      for (const [path, server] of Object.entries(servers))
        measured.set(path, [...(measured.get(path) ?? []), await measure(client, server, questionFile)]);
    print(measured);
  } finally {
    await cluster.down();
  }
}

interface Service extends KubernetesObject {
  readonly spec: { readonly clusterIP: string };
}

async function answers(client: Pod, server: string): Promise<boolean> {
  return (await client.attempt(["dig", `@${server}`, "+time=1", "+tries=1", "www.outside.test"])).code === 0;
}

async function measure(client: Pod, server: string, file: string): Promise<Measured> {
  const printed = await client.exec(
    ["dnsperf", "-s", server, "-d", file, "-l", String(seconds), "-q", String(outstanding)],
    { timeoutSeconds: seconds + 30 },
  );
  const number = (label: string) => {
    const [, value] = new RegExp(`${label}\\s+([0-9.]+)`).exec(printed) ?? [];
    if (value === undefined) throw new Error(`dnsperf printed no ${label}\n${printed}`);
    return Number(value);
  };
  return {
    perSecond: number("Queries per second:"),
    meanMs: number(String.raw`Average Latency \(s\):`) * 1000,
    lost: number("Queries lost:"),
  };
}

function print(measured: ReadonlyMap<string, readonly Measured[]>): void {
  console.log(`
${outstanding} queries at a time from one pod for ${seconds} s, ${rounds} rounds in turns; load average at the end ${loadavg()[0]?.toFixed(1)}

| path | queries per second | mean latency | lost |
|---|---|---|---|`);
  for (const [path, runs] of measured) {
    const range = (values: readonly number[], digits: number) =>
      [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits)).join(" - ");
    const perSecond = range(
      runs.map((run) => run.perSecond),
      0,
    );
    const latency = range(
      runs.map((run) => run.meanMs),
      2,
    );
    console.log(`| ${path} | ${perSecond} | ${latency} ms | ${runs.reduce((sum, { lost }) => sum + lost, 0)} |`);
  }
}

void main();
