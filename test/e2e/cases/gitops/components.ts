import { expect, it } from "vitest";
import { until } from "../../../../rig/until";
import type { Life } from "./life";

export function prunes(life: Life): void {
  it("prunes a component that left, and nothing else", async () => {
    await life.commit({ nodeLocalDNS: {} });
    const before = await life.get("daemonset", "node-local-dns");
    await life.commit({ nodeLocalDNS: { watchdog: false } });
    await until("the watchdog's end", 60, async () => {
      const kinds = "all,serviceaccounts,roles,rolebindings";
      const left = await life.cluster().kubectl.list(kinds, "kube-system");
      return !left.some(({ metadata }) => metadata.name.startsWith("node-local-dns-watchdog"));
    });
    const after = await life.get("daemonset", "node-local-dns");
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(await life.lostOfTen()).toBe(0);
  });
}
