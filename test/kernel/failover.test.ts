import { describe, expect, test } from "vitest";
import { failoverCases } from "../../rig/kernel/failover-cases";
import { missingForKernelTests } from "../../rig/kernel/namespace";
import type { Setting } from "../../rig/kernel/scenario";

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
  // Times on a machine that does other things as well: a second and a third chance.
  test.each(cases)("$name, asked from the $who", { retry: 2 }, async ({ run, allowed }) => {
    const { sent, lost, windowMs, endedMs, byCache, byCluster } = await run(setting);
    expect(byCache).toBeGreaterThan(0);
    expect(byCache + byCluster + lost).toBe(sent);
    const untilEnded = Math.max(10, endedMs + 5);
    const limits = allowed === "untilEnded" ? { windowMs: untilEnded, lost: untilEnded / 2 } : allowed;
    expect(lost).toBeLessThanOrEqual(limits.lost ?? sent);
    expect(windowMs).toBeLessThanOrEqual(limits.windowMs ?? Infinity);
  });
});
