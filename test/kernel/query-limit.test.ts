import { describe, expect, test } from "vitest";
import { listenAddresses } from "../../rig/kernel/agent";
import { metric } from "../../rig/kernel/metrics";
import { missingForKernelTests, stop } from "../../rig/kernel/namespace";
import { addresses } from "../../rig/kernel/network";
import { onNode, type Scenario, type Setting } from "../../rig/kernel/scenario";
import { startSender, unanswered } from "../../rig/kernel/sender";
import { listenerName } from "../../src/model/packet-rules/listener";
import { expectLostAtMost } from "../expect-lost";
import { eventually } from "../eventually";

const limited = { queryLimit: 100, thresholds: { countIntervalMs: 1000 } } satisfies Setting;

describe.skipIf(missingForKernelTests() !== undefined)("a limit of queries by pod", () => {
  test("a pod that floods the cache with names that nobody answers takes nothing from another", () =>
    onNode(limited, async (s) => {
      const load = await floodedLoad(s);
      expectLostAtMost(load, { lost: load.sent * 0.05 });
      await expectLimited(s, "udp");
      // Above the limit, half of it would be lost.
      const ofNode = await s.network.load({ server: s.server, from: s.network.node, rate: 400, seconds: 1 });
      expectLostAtMost(ofNode, { lost: ofNode.sent * 0.2 });
    }));

  test("with iptables, IPv6 and TCP, too", () =>
    onNode({ ...limited, packetFilter: "iptables", family: "IPv6" }, async (s) => {
      await s.network.load({ server: s.server, protocol: "tcp", rate: 400, seconds: 2 });
      await expectLimited(s, "tcp");
      const within = await s.network.load({ server: s.server, rate: 20, seconds: 1 });
      expectLostAtMost(within, { lost: within.sent * 0.2 });
    }));
});

/** A pod asks for names outside, while another asks for as many as fill the cache's queue. */
async function floodedLoad(s: Scenario) {
  const { dns } = addresses[s.family];
  const { servers: clusterDNS } = s.config.clusterZone;
  await s.network.startCache(listenAddresses(s.config), { clusterDNS, outside: dns });
  await stop(s.cache, "SIGTERM");
  s.network.pod.ip("address add 10.244.1.3/24 dev eth0");
  const flood = { server: s.server, source: "10.244.1.3", packet: unanswered, rate: 600, numbered: true };
  startSender(s.network.pod, flood);
  return s.network.load({ server: s.server, names: ["%.outside.test"], rate: 50, seconds: 5, timeoutMs: 5000 });
}

/** At least, of thousands or hundreds that are too many. */
async function expectLimited(s: Scenario, protocol: "udp" | "tcp"): Promise<void> {
  const labels = `listener="${listenerName({ address: s.server, protocol })}",kind="limited"`;
  await eventually(
    "the watchdog to count what is above the limit",
    20,
    async () => metric(s.network, "packets_total", labels) ?? 0,
    (count) => expect(count).toBeGreaterThan(100),
  );
}
