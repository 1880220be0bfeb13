/**
 * What a name outside costs a pod: queries at each hop, and the time of a first and of a repeated lookup. Without a cache,
 * with one, with one and another `ndots`, and with one that walks the search path; without a cache also with CoreDNS' own
 * `autopath`. All servers run at once and are asked in turn, by one client that looks up as glibc does, for A and AAAA at once.
 */
import { authoritativeCorefileOf, cacheFilesOf, nodeLocalDnsCorefileBeside } from "../rig/coredns/corefile-of";
import { runCoreDNS, whyNoCoreDNS, type Running } from "../rig/coredns/coredns";
import { FakeApi } from "../rig/coredns/fake-api";
import { namespace, pod } from "../rig/coredns/objects";
import { plugin, serverBlock, type Corefile } from "../src/model/corefile/corefile";
import { noSuchName } from "../src/model/corefile/tenant-names";
import type { ClusterDnsProps } from "../src/model/props/cluster-dns";
import { lookUp, podAddress, type Resolver } from "../rig/coredns/look-up";

const rounds = 10;
const names = 100;
const repeats = 5;
const ownNamespace = "default";

/** Every name in one zone, and no others. */
const outsideNames: Corefile = [
  serverBlock(
    ["."],
    [
      plugin("prometheus", [":9153"]),
      plugin("template", ["IN", "A", "example.com"], [plugin("answer", ["{{ .Name }} 60 IN A 203.0.113.1"])]),
      plugin("template", ["IN", "AAAA", "example.com"], [plugin("rcode", ["NOERROR"])]),
      noSuchName("invalid", 30),
    ],
  ),
];

interface Way {
  readonly what: string;
  readonly props: Partial<ClusterDnsProps>;
  readonly hasCache: boolean;
  /** Of the pod; 5 by kubelets. */
  readonly ndots?: number;
}

const autopath = { pods: "verified", corefile: { clusterNames: "autopath @kubernetes" } } as const;
const ways: readonly Way[] = [
  { what: "no cache", props: {}, hasCache: false },
  { what: "no cache, `autopath`", props: { authoritativeDNS: autopath }, hasCache: false },
  { what: "cache", props: {}, hasCache: true },
  { what: "cache, `ndots:2`", props: {}, hasCache: true, ndots: 2 },
  { what: "cache that walks", props: { nodeLocalDNS: { searchPath: { nodeDomains: [] } } }, hasCache: true },
];

interface Started extends Way {
  readonly cluster: Running;
  readonly asked: Running;
  readonly times: { readonly [when in When]: number[] };
  readonly queries: { readonly [when in When]: { client: number; cluster: number; outside: number } };
}

type When = "first" | "repeated" | "nowhere";

async function main(): Promise<void> {
  if (whyNoCoreDNS) {
    console.log(`Search path: not measured, ${whyNoCoreDNS}.`);
    return;
  }
  const api = new FakeApi();
  api.put("namespaces", namespace(ownNamespace));
  api.put("pods", pod(ownNamespace, "client", podAddress));
  const url = await api.start();
  const outside = await runCoreDNS(outsideNames, { api: url });
  const started: Started[] = [];
  try {
    for (const way of ways) started.push(await start(way, url, outside.port));
    for (let round = 0; round < rounds; round++)
      for (const each of started) {
        const of = (end: string) => Array.from({ length: names }, (_, i) => `n${i}.r${round}.${end}`);
        await measure(each, "first", of("example.com"), outside);
        for (let again = 0; again < repeats; again++) await measure(each, "repeated", of("example.com"), outside);
        await measure(each, "nowhere", of("nowhere.example"), outside);
      }
    report(started);
  } finally {
    for (const { cluster, asked } of started) await Promise.all([cluster.stop(), asked.stop()]);
    await outside.stop();
    await api.stop();
  }
}

async function start(way: Way, api: string, outside: number): Promise<Started> {
  const props: ClusterDnsProps = {
    clusterDNS: ["10.96.0.10"],
    kubeProxyMode: "nftables",
    agentImage: "agent:1",
    upstreamNameservers: [`127.0.0.1:${outside}`],
    ...way.props,
  };
  const cluster = await runCoreDNS(authoritativeCorefileOf(props), { api });
  const files = way.hasCache ? cacheFilesOf(props) : {};
  const asked = way.hasCache
    ? await runCoreDNS(nodeLocalDnsCorefileBeside(cluster.port, props), { api, files })
    : cluster;
  const none = () => ({ client: 0, cluster: 0, outside: 0 });
  return {
    ...way,
    cluster,
    asked,
    times: { first: [], repeated: [], nowhere: [] },
    queries: { first: none(), repeated: none(), nowhere: none() },
  };
}

async function measure(way: Started, when: When, looked: readonly string[], outside: Running): Promise<void> {
  const resolver: Resolver = {
    library: "glibc",
    searches: [`${ownNamespace}.svc.cluster.local`, "svc.cluster.local", "cluster.local"],
    ndots: way.ndots ?? 5,
    types: ["A", "AAAA"],
    tcp: false,
    port: way.asked.port,
  };
  const before = { cluster: await way.cluster.requests(), outside: await outside.requests() };
  const asked: string[] = [];
  for (const name of looked) {
    const from = process.hrtime.bigint();
    const { data } = await lookUp(name, resolver, asked);
    way.times[when].push(Number(process.hrtime.bigint() - from) / 1e6);
    if (data.length !== (when === "nowhere" ? 0 : 1))
      throw new Error(`${way.what}: ${name} has ${data.length} addresses`);
  }
  const queries = way.queries[when];
  queries.client += asked.length;
  queries.cluster += (await way.cluster.requests()) - before.cluster;
  queries.outside += (await outside.requests()) - before.outside;
}

function report(all: readonly Started[]): void {
  console.log("| | queries of the pod | to the cluster's DNS | to servers outside | p50, ms | p99, ms |");
  console.log("|---|---|---|---|---|---|");
  for (const when of ["first", "repeated", "nowhere"] as const)
    for (const { what, hasCache, times, queries } of all) {
      const { client, cluster, outside } = queries[when];
      const each = (count: number) => (count / times[when].length).toFixed(2);
      const cells = [each(client), hasCache ? each(cluster) : "", each(outside)];
      const took = [0.5, 0.99].map((share) => quantile(times[when], share).toFixed(2));
      console.log(`| ${[`${when}: ${what}`, ...cells, ...took].join(" | ")} |`);
    }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
