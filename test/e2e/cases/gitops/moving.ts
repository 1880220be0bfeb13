import { mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { clusterName } from "../../../../rig/gitops/fleet";
import type { Life } from "./life";

/** Flux applies its own first Kustomization, from where it reads. */
export function movesFlux(life: Life): void {
  it.each([
    ["another folder", "dns/dist"],
    ["the folder of before", "dist"],
  ])("reads %s once its Kustomization is applied as diff says, and keeps what it applied", async (_what, folder) => {
    const { controller } = life;
    const kubectl = life.cluster().kubectl;
    if (folder !== "dist") await life.commit({});
    const before = await life.get("deployment", "coredns");
    life.synth({ gitops: { flux: { folder } } });
    const rendered = join(controller.fleet.folder, "dist");
    const place = join(controller.fleet.folder, folder);
    mkdirSync(dirname(place), { recursive: true });
    if (place !== rendered) renameSync(rendered, place);
    const revision = await controller.announce();
    const file = join(place, clusterName, "gitops/flux/kustomization-cluster-dns.yaml");
    await kubectl.run(["apply", "--server-side", "--force-conflicts", "-f", file]);
    await controller.applied(revision);
    await life.expectKept(before);
    expect(await life.lostOfTen()).toBe(0);
  });
}
