import { afterEach, describe, expect, it } from "vitest";
import { addresses, ask, type Question } from "../../../../rig/coredns/ask";
import { whyNoCoreDNS, type Running } from "../../../../rig/coredns/coredns";
import type { FakeApi } from "../../../../rig/coredns/fake-api";
import { flood, type Flood } from "../../../../rig/coredns/flood";
import { LargeAnswers } from "../../../../rig/coredns/large-answers";
import { namespace, putService } from "../../../../rig/coredns/objects";
import { leaveUnread } from "../../../../rig/coredns/unread-answers";
import { until } from "../../../../rig/until";
import { clusterOf } from "../../../../src/model/cluster/cluster";
import { keysOf, plugin, type Corefile } from "../../../../src/model/corefile/corefile";
import type { Resources } from "../../../../src/model/props/placement";
import { cached, SmallDns } from "../../lib/small-dns";

// Anyone who owns a domain can make a cluster's DNS query names in it, and return as much as a message holds. Here
// CoreDNS has the memory limit and the GOMEMLIMIT of its container, and the kernel kills it if it uses more.

const dns = new SmallDns(afterEach);

describe.skipIf(whyNoCoreDNS)(`memory of CoreDNS${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  it("neither a flood of large answers nor an API server restart after it kills authoritative DNS", async () => {
    const size = { nodes: 500, services: 10_000, pods: 30_000 };
    const { upstreams, api, url } = await outside();
    putCluster(api, size);
    const props = { ...cached, ...upstreams, size };
    const { resources } = clusterOf(props).components.authoritativeDns ?? {};
    const coredns = await dns.cluster(props, { api: url, memoryLimit: limitOf(resources) });
    await expectSurvival(coredns, floods);
    for (let restart = 1; restart <= 3; restart++) {
      api.forgetWatches();
      // Namespaces, Services, EndpointSlices: each is watched only after it has been listed again.
      await until("new lists of all objects", 60, () => Promise.resolve(api.watches >= 3));
    }
    expect(coredns.ended()).toBeUndefined();
    const { port } = coredns;
    expect(await addresses({ name: "service-9999.shop.svc.cluster.local", port })).toBe("10.97.39.15");
  });

  it("no flood of large answers kills the node cache", async () => {
    const { upstreams, url } = await outside();
    const props = { ...cached, ...upstreams };
    const server = await dns.cluster(props, { api: url });
    const { resources } = clusterOf(props).components.nodeLocalDns ?? {};
    const cache = await dns.cache(server.port, props, { memoryLimit: limitOf(resources) });
    await expectSurvival(cache, [
      ["the cluster's names", { zone: "cluster.local", tcp: false, longNames: true, count: 15_000, clients: 32 }],
      ...floods,
    ]);
  });

  it.each(["authoritative DNS", "the node cache"])(
    "no clients that leave large answers unread kill %s",
    async (which) => {
      const { largest, props, url } = await outsideOfLargest();
      const { authoritativeDns, nodeLocalDns } = clusterOf(props).components;
      const isCache = which === "the node cache";
      const memoryLimit = limitOf((isCache ? nodeLocalDns : authoritativeDns)?.resources);
      const server = await dns.cluster(props, { api: url, ...(isCache ? {} : { memoryLimit }) });
      const attacked = isCache ? await dns.cache(server.port, props, { memoryLimit }) : server;
      const question = { name: "shop.example", port: attacked.port };

      const close = await leaveUnread({ port: attacked.port, zone: "example", connections: 1000, queriesEach: 20 });
      dns.keep({ stop: close });
      await until("refusals over TCP", 60, async () => (await rcode({ ...question, tcp: true })) === "REFUSED");
      // Each place was taken several times, by answers that all are in memory at once.
      await until("150 answers", 120, () => Promise.resolve(largest.answered >= 150 || attacked.ended() !== undefined));
      expect(attacked.ended()).toBeUndefined();
      console.log(`${which}: ${Math.round(attacked.memory() / 2 ** 20)} MiB resident of ${memoryLimit}`);
      expect(await rcode({ ...question })).toBe("NOERROR");
      const name = "service-0.shop.svc.cluster.local";
      expect(await addresses({ name, port: attacked.port, tcp: true })).toBe("10.97.0.0");

      close();
      await until("an answer over TCP", 60, async () => (await rcode({ ...question, tcp: true })) === "NOERROR");
      expect(attacked.ended()).toBeUndefined();
    },
  );

  it("the first of these floods kills CoreDNS as kubeadm configures it", async () => {
    const { upstreams, url } = await outside();
    const { upstreamNameservers: servers } = upstreams;
    const kubeadm: Corefile = [
      {
        keys: keysOf(["."]),
        plugins: [
          plugin("ready"),
          plugin("kubernetes", ["cluster.local"]),
          plugin("forward", [".", ...servers]),
          plugin("cache", [30]),
        ],
      },
    ];
    const coredns = await dns.run(kubeadm, { api: url, memoryLimit: "170Mi" });
    await flood({ ...firstFlood, port: coredns.port });
    expect(coredns.ended()).toContain("SIGKILL");
  });
});

const firstFlood = { zone: "yes.example", tcp: true, longNames: false, count: 3300, clients: 16 };

/** Fill every cache. */
const floods: readonly [what: string, Omit<Flood, "port">][] = [
  ["59 kB each, over TCP", firstFlood],
  ["the largest over UDP", { zone: "yes.example", tcp: false, longNames: true, count: 2000, clients: 16 }],
  ["the largest negative ones", { zone: "no.example", tcp: false, longNames: true, count: 2000, clients: 16 }],
];

async function expectSurvival(coredns: Running, all: typeof floods): Promise<void> {
  for (const [what, flow] of all) {
    await flood({ ...flow, port: coredns.port });
    expect(coredns.ended(), `after ${what}`).toBeUndefined();
    console.log(`${what}: ${Math.round(coredns.memory() / 2 ** 20)} MiB resident`);
  }
}

/** The outside world: a server that knows every name, and one that knows none in `no.example`. */
async function outside() {
  const [positive, negative] = [dns.keep(new LargeAnswers()), dns.keep(new LargeAnswers({ isNegative: true }))];
  const upstreams = {
    upstreamNameservers: [`127.0.0.1:${await positive.start()}`],
    stubDomains: { "no.example": [`127.0.0.1:${await negative.start()}`] },
  };
  return { upstreams, ...(await dns.api()) };
}

/** A cluster with one Service, and an outside world whose answers take as much memory as an answer can. */
async function outsideOfLargest() {
  const largest = dns.keep(new LargeAnswers({ repeatsNames: true }));
  const { api, url } = await dns.api();
  putCluster(api, { services: 1, pods: 1 });
  const props = { ...cached, upstreamNameservers: [`127.0.0.1:${await largest.start()}`] };
  return { largest, props, url };
}

/** The response code; undefined if there is no response. */
async function rcode(question: Question): Promise<string | undefined> {
  try {
    return (await ask(question)).rcode;
  } catch {
    return undefined;
  }
}

/** Services, and the pods behind them, in one namespace. */
function putCluster(api: FakeApi, { services, pods }: { readonly services: number; readonly pods: number }): void {
  const address = (first: string, i: number) => `${first}.${(i >> 8) & 255}.${i & 255}`;
  const podIP = (i: number) => address(`10.${128 + (i >> 16)}`, i);
  api.put("namespaces", namespace("shop"));
  for (let i = 0; i < services; i++) {
    const behind = Array.from({ length: pods / services }, (_, j) => podIP((i * pods) / services + j));
    putService(api, "shop", `service-${i}`, address("10.97", i), behind);
  }
}

function limitOf(resources: Resources | undefined): string {
  return String(resources?.limits?.["memory"]);
}
