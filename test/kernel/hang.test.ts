import { describe, expect, test } from "vitest";
import { removeEndpoints } from "../../rig/kernel/kube-proxy";
import { missingForKernelTests, stop } from "../../rig/kernel/namespace";
import { addresses } from "../../rig/kernel/network";
import { cache, cluster, onNode, type Scenario, type Setting } from "../../rig/kernel/scenario";
import { headerOnly, question, startSender } from "../../rig/kernel/sender";
import { sleep, until } from "../../rig/until";
import { signsOfLife } from "../../src/model/packet-rules/nft/hang";
import { listenerName } from "../../src/model/packet-rules/listener";
import { expectAllAnswered, expectLostAtMost, expectMostAnswered } from "../expect-lost";

/** A cache that goes on would answer late what it had not read. */
const timeoutMs = 1000;

const settings: readonly (readonly [name: string, setting: Setting])[] = [
  ["service-ip, IPv4", {}],
  ["link-local, IPv6", { interception: "link-local", kubeProxyMode: "nftables", family: "IPv6" }],
];

// By packet rules alone: queries come, and no answer leaves.
describe.skipIf(missingForKernelTests() !== undefined)("a hang while the watchdog is dead", () => {
  // Over UDP: rig/kernel/failover-cases.ts.
  test.each(settings)("%s: connections of pods and of the node's processes go past the cache", (_, setting) =>
    onNode(setting, async (s) => {
      await killWatchdog(s);
      // At the service IP, the node's own processes do not use the cache over TCP. Nor do they anywhere for long without a
      // watchdog: they come first.
      const froms = s.config.interception === "link-local" ? (["node", "pod"] as const) : (["pod"] as const);
      for (const from of froms) {
        const asked = { server: s.server, rate: 200, protocol: "tcp", from: s.network[from], timeoutMs } as const;
        const load = await s.network.load(asked, () => hang(s));
        expect(load.answers[cache]).toBeGreaterThan(20);
        expect(load.answers[cluster]).toBeGreaterThan(50);
        // Of 300 while it hangs: 18 on an idle machine.
        expectLostAtMost(load, { lost: 100 });
      }
      expect(pastSilent(s, "tcp")).toBeGreaterThan(50);
    }),
  );

  test("killed, it costs the node's own processes what the kernel refuses first", () =>
    onNode({}, async (s) => {
      await killWatchdog(s);
      const load = await s.network.load({ server: s.server, from: s.network.node }, async () => {
        await sleep(500);
        await stop(s.cache, "SIGKILL");
        await sleep(1500);
      });
      expect(load.answers[cache]).toBeGreaterThan(20);
      // Of 750 afterwards: one on an idle machine. Late queries are sent together, five at most.
      expect(load.failures["recvmsg ECONNREFUSED"] ?? 0).toBeLessThan(12);
      expectLostAtMost(load, { lost: 60 });
    }));

  test("who asks once, and again after a resolver's time, has an answer the second time", () =>
    onNode({}, async (s) => {
      await killWatchdog(s);
      await sleep(signsOfLife.cache.live * 2);
      s.cache.kill("SIGSTOP");
      const { queries } = await s.network.load({ server: s.server, rate: 0.4, seconds: 5 });
      expect(queries.map(({ answer }) => answer)).toEqual([undefined, cluster]);
    }));

  const known = ["web.default.svc.cluster.local"];
  const nowWithoutEndpoints = (s: Scenario) => removeEndpoints(s.network.node, "nftables", addresses.IPv4);

  test.each<[is: string, setting: Setting, rate: number, befalls: (s: Scenario) => void]>([
    // The cluster DNS is given 300 ms; without that limit, 35 of 36 are lost.
    ["is dead too", {}, 6, () => {}],
    // Kube-proxy refuses before any note. None is lost; or, if the other queries come first and only wait, until the cache has
    // waited two seconds for the cluster DNS. Before the cache's own queries were noted, all.
    ["has no endpoint", { kubeProxyMode: "nftables" }, 20, nowWithoutEndpoints],
  ])("while the cluster DNS %s, what the cache has is still answered", (_is, setting, rate, befalls) =>
    onNode(setting, async (s) => {
      await killWatchdog(s);
      expectAllAnswered(await s.network.load({ server: s.server, names: known, seconds: 0.2 }), "10.96.0.1");
      s.clusterDNS.kill("SIGSTOP");
      befalls(s);
      const [load] = await Promise.all([
        s.network.load({ server: s.server, names: known, rate, seconds: 6, timeoutMs }),
        s.network.load({ server: s.server, names: ["%.default.svc.cluster.local"], rate: 50, seconds: 6 }),
      ]);
      expectLostAtMost(load, { lost: load.sent / 2 });
    }),
  );

  test.each<[setting: Setting, befalls: (s: Scenario) => unknown]>([
    // What it has known of the cluster DNS ends.
    [{ interception: "service-ip", watchdog: false }, () => sleep(signsOfLife.clusterDNS["past-live"])],
    // The watchdog turns the switch of the node's processes off at the first probe without an answer, and shows itself all
    // the same.
    [
      { interception: "link-local" },
      ({ network }) => network.node.run("nft", ["flush", "set", "inet", "node-local-dns", "host4"]),
    ],
  ])("%o, while the cluster DNS has no endpoint: refusals of others do not hide the cache from pods", (own, befalls) =>
    onNode({ ...own, kubeProxyMode: "nftables" }, async (s) => {
      if (s.config.watchdog) await killWatchdog(s);
      expectAllAnswered(await s.network.load({ server: s.server, names: known, seconds: 0.2 }), "10.96.0.1");
      await stop(s.clusterDNS, "SIGKILL");
      nowWithoutEndpoints(s);
      await befalls(s);
      const asked = { server: s.server, names: known, rate: 20, seconds: 3 };
      const [load] = await Promise.all([
        s.network.load({ ...asked, timeoutMs }),
        s.network.load({ ...asked, from: s.network.node }),
      ]);
      expectAllAnswered(load, "10.96.0.1");
    }),
  );

  test("with packetFilter iptables, it lasts as long as the cache hangs", () =>
    onNode({ packetFilter: "iptables", kubeProxyMode: "iptables" }, async (s) => {
      await stop(s.watchdog.process, "SIGKILL");
      s.cache.kill("SIGSTOP");
      const load = await s.network.load({ server: s.server, rate: 20, seconds: 5, timeoutMs });
      expect(load.queries.filter(({ answer }) => answer !== undefined)).toEqual([]);
      s.cache.kill("SIGCONT");
      expectMostAnswered(await s.network.load({ server: s.server, rate: 20, seconds: 1 }), cache);
    }));
});

describe.skipIf(missingForKernelTests() !== undefined)("queries do not go past a cache that answers", () => {
  test("with junk, with sets that are full, or with SERVFAIL", () =>
    onNode({}, async (s) => {
      await killWatchdog(s);
      const { node, pod } = s.network;
      pod.ip("address add 10.244.1.3/24 dev eth0");
      const junk = startSender(pod, { server: s.server, source: "10.244.1.3", packet: headerOnly, rate: 100 });
      expectMostAnswered(await s.network.load({ server: s.server, rate: 10, seconds: 2 }), cache);
      await stop(junk, "SIGKILL");
      const others = Array.from({ length: 4096 }, (_, i) => `10.9.${i >> 8}.${i & 255} timeout 1h`).join(", ");
      const full = Object.keys(signsOfLife.cache).map(
        (sign) => `flush set inet node-local-dns ${sign}4\nadd element inet node-local-dns ${sign}4 { ${others} }\n`,
      );
      // What has expired takes room until the kernel collects it.
      await until("the sets to be full", 5, async () => node.run("nft", ["-f", "-"], full.join("")) === "");
      expectMostAnswered(await s.network.load({ server: s.server, rate: 50, seconds: 1 }), cache);
      for (const sign of Object.keys(signsOfLife.cache))
        node.run("nft", ["flush", "set", "inet", "node-local-dns", `${sign}4`]);
      await s.startBrokenCache();
      await stop(s.cache, "SIGKILL");
      const broken = await s.network.load({ server: s.server, rate: 200, seconds: 1 });
      expect(broken.failures["SERVFAIL"]).toBeGreaterThan(broken.sent / 2);
    }));

  // A name's A and AAAA come together, and the others of a burst before the first has its answer.
  test("once it has been silent, however soon the next burst of queries comes", () =>
    onNode({}, async (s) => {
      await killWatchdog(s);
      s.cache.kill("SIGSTOP");
      const bursts = { server: s.server, source: "10.244.1.2", packet: question, rate: 16, together: 4 };
      startSender(s.network.pod, bursts);
      await until("queries to go past the cache", 10, async () => pastSilent(s, "udp") > 8);
      s.cache.kill("SIGCONT");
      await sleep(1000);
      const before = pastSilent(s, "udp");
      await sleep(5000);
      const past = pastSilent(s, "udp") - before;
      // If it never ended, three of four.
      expect(past).toBeLessThan(20);
    }));

  // A NetworkPolicy, as Calico and kube-router enforce it.
  test("to pods whose queries the node drops or refuses; nor do these hide a hang", () =>
    onNode({}, async (s) => {
      await killWatchdog(s);
      const { node, pod } = s.network;
      const [dropped, refused] = ["10.244.1.3", "10.244.1.4"] as const;
      node.run("nft", ["-f", "-"], policy(dropped, refused));
      for (const source of [dropped, refused]) {
        pod.ip(`address add ${source}/24 dev eth0`);
        startSender(pod, { server: s.server, source, packet: question, rate: 50 });
      }
      const load = await s.network.load({ server: s.server, rate: 1, seconds: 6 });
      expectMostAnswered(load, cache);
      // Of 600 that they send: none on an idle machine.
      expect(pastSilent(s, "udp")).toBeLessThan(10);
      s.cache.kill("SIGSTOP");
      await sleep(600);
      const hung = await s.network.load({ server: s.server, rate: 3, seconds: 4, timeoutMs });
      // The first finds no note, the second tries once more.
      expect(hung.answers[cluster]).toBeGreaterThan(hung.sent / 2);
    }));
});

async function hang(s: Scenario): Promise<void> {
  await sleep(500);
  s.cache.kill("SIGSTOP");
  await sleep(1500);
  s.cache.kill("SIGCONT");
  await sleep(500);
}

/** Once the node's own processes use the cache. */
async function killWatchdog(s: Scenario): Promise<void> {
  const protocol = s.config.interception === "link-local" ? "tcp" : "udp";
  await until("the node's own processes to use the cache", 30, async () => {
    const load = await s.network.load({ server: s.server, protocol, from: s.network.node, rate: 50, seconds: 0.1 });
    return load.answers[cache] === load.sent;
  });
  await stop(s.watchdog.process, "SIGKILL");
}

/** How many queries have gone past a cache that was silent. */
function pastSilent(s: Scenario, protocol: "udp" | "tcp"): number {
  const counter = `silent-${listenerName({ address: s.server, protocol })}`;
  const text = s.network.node.run("nft", ["list", "counter", "inet", "node-local-dns", counter]);
  return Number(/packets (\d+)/.exec(text)?.[1]);
}

/** Queries of one pod are dropped, of another refused, on their way to the node and through it. */
function policy(dropped: string, refused: string): string {
  const chain = (hook: string) => `chain ${hook} {
    type filter hook ${hook} priority filter;
    ip saddr ${dropped} udp dport 53 drop
    ip saddr ${refused} udp dport 53 reject with icmp port-unreachable
  }`;
  return `table ip denied { ${chain("input")}\n${chain("forward")}\n}\n`;
}
