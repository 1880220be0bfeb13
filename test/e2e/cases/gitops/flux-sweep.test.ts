import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { Flux } from "../../../../rig/gitops/flux";
import { useSweep } from "./sweep";

const { clusters, cluster, controller, clear } = useSweep(Flux.start);

describe.each(clusters)("dist/%s", (name) => {
  it("stays as Flux applied it when it applies it again", async () => {
    // Flux begins with a dry run, for which an API server with several ranges allocates addresses from any of them: the
    // Services must be there.
    await cluster().kubectl.apply(join(controller().fleet.folder, "dist", name), { serverSide: true });
    await cluster().kubectl.apply([kustomization(name)]);
    await controller().ready(name);
    const before = await versions(name);
    expect(before.length).toBeGreaterThan(1);
    await controller().compare();
    await controller().ready(name);
    expect(await versions(name)).toEqual(before);
  });

  afterEach(async () => {
    await controller().remove(name);
    await clear(name);
  });
});

/** The whole cluster at once: without nodes there is no health to wait for. */
function kustomization(name: string): KubernetesObject {
  return {
    apiVersion: "kustomize.toolkit.fluxcd.io/v1",
    kind: "Kustomization",
    metadata: { name, namespace: "flux-system" },
    spec: {
      interval: "10m",
      path: `./dist/${name}`,
      prune: false,
      sourceRef: { kind: "GitRepository", name: "flux-system" },
    },
  };
}

async function versions(name: string): Promise<string[]> {
  const folder = join(controller().fleet.folder, "dist", name);
  const printed = await cluster().kubectl.run(["get", "-k", folder, "-o", "json"]);
  const { items } = JSON.parse(printed) as { items: KubernetesObject[] };
  return items.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`);
}
