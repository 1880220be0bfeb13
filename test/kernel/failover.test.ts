import { describe, expect, test } from "vitest";
import { failoverCases } from "../../rig/kernel/failover-cases";
import { missingForKernelTests } from "../../rig/kernel/namespace";
import type { Setting } from "../../rig/kernel/scenario";
import { expectLostAtMost } from "../expect-lost";

const settings: readonly (readonly [name: string, setting: Setting])[] = [
  ["service-ip, kube-proxy iptables, nftables rules", {}],
  [
    "link-local, kube-proxy nftables, nftables rules, IPv6",
    { interception: "link-local", kubeProxyMode: "nftables", family: "IPv6" },
  ],
  ["service-ip, kube-proxy iptables, iptables rules", { packetFilter: "iptables" }],
];

describe.skipIf(missingForKernelTests() !== undefined).each(settings)("%s", (_name, setting) => {
  const cases = failoverCases.filter(
    ({ packetFilter = setting.packetFilter }) => packetFilter === setting.packetFilter || !setting.packetFilter,
  );
  test.each(cases)("$name, queried from the $who", async ({ run, allowed }) => {
    const { load, endedMs, byCache, byCluster, events } = await run(setting);
    expect(byCache).toBeGreaterThan(0);
    expect(byCache + byCluster + load.lost).toBe(load.sent);
    const untilEnded = Math.max(10, endedMs + 5);
    const limits = allowed === "untilEnded" ? { windowMs: untilEnded, lost: untilEnded / 2 } : allowed;
    const when = events.map(({ what, at }) => `${what} at ${(at / 1000).toFixed(3)} s`).join(", ");
    expectLostAtMost(load, limits, when);
  });
});
