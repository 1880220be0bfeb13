import { expect, it } from "vitest";
import { until } from "../../../../rig/until";
import type { ConfigMap, Workload } from "../../../../src/model/kubernetes/kinds";
import type { Life } from "./life";

export function takesCommits(life: Life): void {
  it("ends at the second of two commits that come at once", async () => {
    life.synth({ authoritativeDNS: { ttl: 11 } });
    await life.controller.commit();
    await life.commit({ authoritativeDNS: { ttl: 12 } });
    expect(await corefile()).toMatch(/ttl 12$/m);
  });

  it("finishes a commit although it is killed in the middle of it", async () => {
    life.synth({ authoritativeDNS: { ttl: 13 } });
    const before = await life.get("deployment", "coredns");
    const revision = await life.controller.commit();
    await until("the middle of the commit", 60, async () => {
      const { metadata } = (await life.get("deployment", "coredns")) ?? {};
      return metadata?.generation !== before?.metadata.generation;
    });
    await life.controller.interrupt();
    await life.controller.applied(revision);
    expect(await corefile()).toMatch(/ttl 13$/m);
    expect(await life.lostOfTen()).toBe(0);
  });

  it("goes back with a revert", async () => {
    await life.commit({ authoritativeDNS: { ttl: 14 } });
    await life.controller.fleet.git("revert", "--no-edit", "HEAD");
    await life.commitAll();
    expect(await corefile()).toMatch(/ttl 13$/m);
    expect(await life.lostOfTen()).toBe(0);
  });

  /** The one that CoreDNS's pods have. */
  async function corefile(): Promise<unknown> {
    const workload = await life.get<Workload>("deployment", "coredns");
    const name = workload?.spec.template.spec.volumes?.[0]?.configMap?.name ?? "";
    return (await life.get<ConfigMap>("configmap", name))?.data?.["Corefile"];
  }
}
