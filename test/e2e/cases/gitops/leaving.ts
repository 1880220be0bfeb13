import { expect, it } from "vitest";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { until } from "../../../../rig/until";
import { runDocumented } from "../../lib/documented-commands";
import type { Life } from "./life";
import { readText } from "../../../../rig/repository";
import { mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { clusterName } from "../../../../rig/gitops/fleet";

const kustomizations = "kustomizations.kustomize.toolkit.fluxcd.io";

export function leavesFlux(life: Life): void {
  it("is left by the documented commands: what it applied stays", async () => {
    await life.commit({ nodeLocalDNS: {} });
    const before = identities(await life.objects());
    life.synth({ nodeLocalDNS: {}, gitops: undefined });
    await life.controller.announce();
    await runInPage(life, /\*\*Leaving Flux\.\*\*[^]*?```sh\n([^]*?)```/);
    const left = async () => (await life.cluster().kubectl.list(kustomizations, "flux-system")).length;
    await until("the end of Kustomizations", 60, async () => (await left()) === 0);
    expect(identities(await life.objects())).toEqual(before);
    expect(await life.lostOfTen()).toBe(0);
  });
}

export function keepsCoreDns(life: Life): void {
  it("leaves a CoreDNS that it was told to forget, by the documented commands", async () => {
    await life.commit({});
    const before = await life.get("deployment", "coredns");
    life.synth({ gitops: undefined });
    await life.controller.announce();
    await life.controller.remove();
    await runInPage(life, /Have Argo CD forget them[^]*?`(kubectl kustomize [^`]*)`/);
    await life.commit({ nodeLocalDNS: {}, authoritativeDNS: { kind: "Existing" } });
    await life.expectKept(before);
    expect(await life.lostOfTen()).toBe(0);
  });
}

async function runInPage(life: Life, pattern: RegExp): Promise<void> {
  const [, command = ""] = pattern.exec(readText("docs/gitops.md")) ?? [];
  expect(command).not.toBe("");
  const here = command.replaceAll("dist/<cluster>", life.controller.fleet.manifests);
  const { code, stderr } = await runDocumented(life.cluster(), here, {});
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
}

function identities(objects: readonly KubernetesObject[]): string[] {
  return objects.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.uid}`);
}

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
