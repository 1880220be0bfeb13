import { describe, expect, test } from "vitest";
import { runAgent } from "../../rig/kernel/agent";
import { missingForKernelTests, stop } from "../../rig/kernel/namespace";
import { onNode, type Scenario, type Setting } from "../../rig/kernel/scenario";
import { session } from "../../rig/load/session";
import { sleep } from "../../rig/until";

const settings: readonly (readonly [name: string, setting: Setting])[] = [
  ["service-ip", {}],
  ["service-ip, kube-proxy nftables, IPv6", { kubeProxyMode: "nftables", family: "IPv6" }],
  ["link-local", { interception: "link-local", kubeProxyMode: "nftables" }],
  ["service-ip, iptables rules", { packetFilter: "iptables" }],
];

describe.skipIf(missingForKernelTests() !== undefined).each(settings)("rewriting the rules, %s", (_name, setting) => {
  test.each(["pod", "node"] as const)("keeps an established TCP connection of a %s", (who) =>
    onNode(setting, async (s) => {
      // The watchdog sends the node's own processes to the cache once the cache has answered it.
      await sleep(1500);
      const report = await session(s.network[who], { server: s.server, name: "load.test", timeoutMs: 10_000 }, () =>
        rewrite(s),
      );
      expect(report.answered).toBeGreaterThan(50);
      expect(report.broken).toEqual([]);
    }),
  );
});

/** First the watchdog is replaced, then the cache: its init container runs while the watchdog does. */
async function rewrite(s: Scenario): Promise<void> {
  await sleep(500);
  await stop(s.watchdog.process, "SIGTERM");
  await s.startWatchdog();
  runAgent(s.network, "node-setup", s.config);
  await sleep(1500);
}
