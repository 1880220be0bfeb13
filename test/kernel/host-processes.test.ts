import { describe, test } from "vitest";
import { missingForKernelTests } from "../../rig/kernel/namespace";
import { cluster, onNode, type Setting } from "../../rig/kernel/scenario";
import { expectAllAnswered } from "../expect-lost";

const settings: readonly (readonly [name: string, setting: Setting])[] = [
  ["service-ip", {}],
  ["link-local", { interception: "link-local", kubeProxyMode: "nftables" }],
  ["link-local, IPv6", { interception: "link-local", family: "IPv6" }],
];

// The socket match does not exist in hook OUTPUT: the node's own processes use the cache only while the watchdog allows
// it.
describe.skipIf(missingForKernelTests() !== undefined).each(settings)("processes on the node, %s", (_name, setting) => {
  test("without a watchdog they use the cluster DNS", () =>
    onNode({ ...setting, watchdog: false }, async (s) => {
      for (const protocol of ["udp", "tcp"] as const) {
        const load = { server: s.server, from: s.network.node, protocol, seconds: 0.5, rate: 100 };
        expectAllAnswered(await s.network.load(load), cluster);
      }
    }));
});
