import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Running } from "../../../rig/coredns/coredns";
import { lookUp, podAddress, type Resolver } from "../../../rig/coredns/look-up";
import { pod } from "../../../rig/coredns/objects";
import { clusterOf } from "../../../src/model/cluster/cluster";
import { plugin, serverBlock, type Corefile } from "../../../src/model/corefile/corefile";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { parseQuantity } from "../../../src/model/syntax/quantity";
import { askOnConnection } from "../lib/scale/connections";
import { print, sixteenAtATime, spentBy, spentDuring } from "../lib/scale/measured";
import { SmallDns } from "../lib/small-dns";

// What caches ask that start empty, and what thousands that do so at the same time cost CoreDNS. docs/scale.md has the figures.

const caches = Number(process.env["SCALE_NODES"] ?? 5000);
const podsOfNode = 30;
const namespaces = Array.from({ length: 10 }, (_, i) => `shop-${i}`);
/** Of the pods of a node together. Each pod looks up four of them, and two Services, again in each round. */
const outsideNames = Array.from({ length: 40 }, (_, i) => `api.s${i}.example.com`);
const [rounds, roundSeconds] = [4, 15];

const dns = new SmallDns();
const startSeconds = 120;

const props: ClusterDnsProps = {
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "nftables",
  agentImage: "agent:1",
  upstreamNameservers: ["192.0.2.53"],
  size: { nodes: caches },
};
const memory = clusterOf(props).components.authoritativeDns?.memory;
/** MiB. */
const limit = Number(parseQuantity(memory?.limit ?? "0")?.nanos) / 1e9 / 2 ** 20;

it("a cache that walks the search path asks CoreDNS less when it starts than others", async () => {
  const api = await apiWithServices();
  const asked = await Promise.all([
    queriesOfCache("as by default", api, {}),
    queriesOfCache("with prefetch", api, { cache: { prefetch: { amount: 2, duration: "1m", percentage: 20 } } }),
    queriesOfCache("with the search path walked", api, { searchPath: { nodeDomains: [] } }),
  ]);
  const [usual = 0, , walking] = asked;
  expect(walking).toBeLessThan(usual / 2);
}, 600_000);

it("a pair of CoreDNS has memory for a connection of every cache", async () => {
  const api = await apiWithServices();
  const pair = [await dns.cluster(props, { api, startSeconds }), await dns.cluster(props, { api, startSeconds })];
  const sockets: Socket[] = [];
  dns.keep({ stop: () => sockets.forEach((each) => each.destroy()) });
  const connect = (count: number, names: readonly string[]) =>
    sixteenAtATime(count, async (i) => sockets.push(await askOnConnection(pair[i % 2]?.port ?? 0, names)));
  // NXDOMAIN, as of a search path.
  const names = outsideNames.map((name) => `${name}.shop-0.svc.cluster.local`);

  print(
    "two, before",
    pair.map(({ pid }) => spentBy(pid)),
  );
  await connect(caches, names.slice(0, 1));
  const open = sockets.filter(({ destroyed }) => !destroyed).length;
  print(
    `two, with ${open} connections of ${caches}`,
    pair.map(({ pid }) => spentBy(pid)),
  );

  const [first, second] = pair.map(({ pid }) => pid) as [number, number];
  const asked = async () => (await Promise.all(pair.map((each) => each.requests()))).map(Number);
  const from = await asked();
  const spent = await spentDuring(first, () => connect(caches / 10, names));
  const counts = (await asked()).map((count, i) => count - (from[i] ?? 0));
  print("queries of a tenth, and what the first spent", { counts, spent });
  for (const pid of [first, second]) expect(spentBy(pid).peak).toBeLessThan(limit);
}, 900_000);

async function apiWithServices(): Promise<string> {
  const services = namespaces.map((name, i) => [name, { db: `10.96.1.${i}`, web: `10.96.2.${i}` }] as const);
  const { api, url } = await dns.api(Object.fromEntries(services));
  api.put("pods", pod(namespaces[0] ?? "", "client", podAddress));
  return url;
}

/** Prints what a cache asks CoreDNS and servers outside, in each round after it has started; returns the first round's for CoreDNS. */
async function queriesOfCache(
  what: string,
  api: string,
  nodeLocalDNS: NonNullable<ClusterDnsProps["nodeLocalDNS"]>,
): Promise<number> {
  const outside = await dns.run(outsideCorefile, { api, startSeconds });
  const described = { ...props, upstreamNameservers: [`127.0.0.1:${outside.port}`], nodeLocalDNS };
  const coredns = await dns.cluster(described, { api, startSeconds });
  const cache = await dns.cache(coredns.port, described, { api, startSeconds });
  const asked: { readonly cluster: number; readonly outside: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const over = sleep(roundSeconds * 1000);
    const before = [await coredns.requests(), await outside.requests()] as const;
    await Promise.all(Array.from({ length: podsOfNode }, (_, i) => lookUps(cache, i)));
    await over;
    asked.push({ cluster: (await coredns.requests()) - before[0], outside: (await outside.requests()) - before[1] });
  }
  print(`a cache that starts empty, ${what}`, asked);
  return asked[0]?.cluster ?? 0;
}

/** What a pod looks up, one name after the other. Over TCP, a busy machine loses nothing. */
async function lookUps(cache: Running, i: number): Promise<void> {
  const own = namespaces[i % namespaces.length] ?? "";
  const resolver: Resolver = {
    library: "glibc",
    searches: [`${own}.svc.cluster.local`, "svc.cluster.local", "cluster.local"],
    ndots: 5,
    types: ["A", "AAAA"],
    tcp: true,
    port: cache.port,
  };
  const outside = [0, 1, 2, 3].map((j) => outsideNames[(i * 4 + j) % outsideNames.length] ?? "");
  for (const name of [...outside, "db", "web"]) await lookUp(name, resolver, []);
}

/** Every name in one zone, and no others. */
const outsideCorefile: Corefile = [
  serverBlock(
    ["."],
    [
      plugin("prometheus", [":9153"]),
      plugin("template", ["IN", "A", "example.com"], [plugin("answer", ["{{ .Name }} 60 IN A 203.0.113.1"])]),
      plugin("template", ["IN", "AAAA", "example.com"], [plugin("rcode", ["NOERROR"])]),
    ],
  ),
];
