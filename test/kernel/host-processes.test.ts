import { describe, expect, test } from "vitest";
import { missingForKernelTests } from "./rig/namespace";
import { sleep, stop } from "./rig/network";
import { cache, cluster, onNode, type Setting } from "./rig/scenario";

const settings: readonly (readonly [name: string, setting: Setting])[] = [
  ["service-ip", {}],
  ["link-local", { interception: "link-local", kubeProxyMode: "nftables" }],
  ["link-local, IPv6", { interception: "link-local", family: "IPv6" }],
];

// The socket match does not exist in hook OUTPUT: the node's own processes use the cache by leave of the watchdog.
describe.skipIf(missingForKernelTests() !== undefined).each(settings)("processes on the node, %s", (_name, setting) => {
  test("use the cache while it lives, lose at most a second when it dies", () =>
    onNode(setting, async (s) => {
      await sleep(1000);
      const running = s.network.load({ server: s.server, seconds: 4, rate: 200 }, s.network.node);
      await sleep(1500);
      await stop(s.cache, "SIGKILL");
      const load = await running;
      expect(load.answers[cache]).toBeGreaterThan(100);
      expect(load.answers[cluster]).toBeGreaterThan(200);
      expect(load.windowMs).toBeLessThan(1000);
    }));

  test("watchdog dead, then the cache: DNS is back when the kernel's own time is up", () =>
    onNode({ ...setting, thresholds: { hostTimeout: 3000, countInterval: 1000 } }, async (s) => {
      await sleep(1500);
      const running = s.network.load({ server: s.server, seconds: 6, rate: 100 }, s.network.node);
      await sleep(800);
      await stop(s.watchdog.process, "SIGKILL");
      await stop(s.cache, "SIGKILL");
      const load = await running;
      expect(load.answers[cluster]).toBeGreaterThan(100);
      expect(load.windowMs).toBeLessThan(3500);
    }));

  test("without a watchdog they ask the cluster DNS", () =>
    onNode({ ...setting, watchdog: false }, async (s) => {
      const before = await s.network.load({ server: s.server, seconds: 0.5, rate: 100 }, s.network.node);
      expect(before.answers).toEqual({ [cluster]: before.sent });
      const tcp = await s.network.load({ server: s.server, seconds: 0.5, rate: 100, tcp: true }, s.network.node);
      expect(tcp.answers).toEqual({ [cluster]: tcp.sent });
    }));
});
