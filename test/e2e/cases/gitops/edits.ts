import { describe, expect, it } from "vitest";
import { sleep, until } from "../../../../rig/until";
import { expectLostAtMost } from "../../../expect-lost";
import { type Life, expectNoNewFlowLost } from "./life";
import { installByKubeadm } from "../../lib/other-dns";

/** Commits that replace CoreDNS's pods, from kubeadm's to the end of the controller's own object. */
export function editsCoreDns(life: Life): void {
  it("takes over from kubeadm", async () => {
    await installByKubeadm(life.cluster());
    // A Deployment may be rolled out half a second before kube-proxy leads to it.
    await until("answers of kubeadm's CoreDNS", 30, async () => (await life.lostOfTen()) === 0);
    await expectNoNewFlowLost(life, "takeover from kubeadm", {});
    const taken = await life.get("deployment", "coredns");
    expect(taken?.metadata.labels?.["app.kubernetes.io/part-of"]).toBe("cluster-dns");
  });

  it("changes the Corefile", () => expectNoNewFlowLost(life, "Corefile", { authoritativeDNS: { ttl: 20 } }));

  it("goes back with a revert", async () => {
    await life.controller.fleet.git("revert", "--no-edit", "HEAD");
    const report = await life.during("revert", () => life.commitAll());
    expectLostAtMost(report, { lostOfNewFlows: 0 });
  });

  describe.each(["DaemonSet", "Deployment"] as const)("changes the kind of CoreDNS to a %s", (kind) => {
    it("and leaves nothing of the other kind", async () => {
      await expectNoNewFlowLost(life, `kind ${kind}`, { authoritativeDNS: { kind } });
      const left = ["daemonset", "deployment", "poddisruptionbudget"].map((each) => life.get(each, "coredns"));
      const kinds = (await Promise.all(left)).flatMap((object) => object?.kind ?? []);
      expect(kinds).toEqual(kind === "DaemonSet" ? ["DaemonSet"] : ["Deployment", "PodDisruptionBudget"]);
    });
  });
}

/** The last of a file's tests. */
export function leavesDnsAlone(life: Life): void {
  it("leaves DNS alone when its own object is deleted", async () => {
    const report = await life.during("its own object deleted", async () => {
      await life.controller.remove();
      await sleep(20_000); // nothing must happen
    });
    expectLostAtMost(report, { lost: 0 });
    const deployment = await life.get("deployment", "coredns");
    expect(deployment?.metadata["deletionTimestamp"]).toBeUndefined();
    expect(deployment).toBeDefined();
  });
}
