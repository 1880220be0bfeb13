import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { ArgoCd, type Application } from "../../../../rig/gitops/argocd";
import { until } from "../../../../rig/until";
import { fullGitOps } from "../../../../src/model/full-props/fill-in";
import { applierOf } from "../../../../src/model/gitops/objects";
import { useSweep } from "./sweep";

const { clusters, cluster, controller, clear } = useSweep((apiServer, progress) => {
  const waveDelaySeconds = 0; // no pod runs, and everything is healthy at once
  return ArgoCd.start(apiServer, progress, waveDelaySeconds);
});

beforeAll(() => controller().believeInHealth());

describe.each(clusters)("dist/%s", (name) => {
  it("stays as Argo CD applied it, in both of its ways to compare", async () => {
    const options = { repoURL: controller().fleet.url, targetRevision: "main" };
    const { "gitops/argocd": own = [] } = applierOf(fullGitOps({ argocd: options })).objects({
      cluster: name,
      components: [],
      namespaces: ["kube-system", "monitoring"],
      replicas: undefined,
      seconds: {},
    });
    await cluster().kubectl.apply(own as readonly object[] as readonly KubernetesObject[]);
    await until(`the sync of ${name}`, 120, async () => {
      const { sync, operationState } = (await controller().application(name))?.status ?? {};
      if (sync?.status === "Synced" && operationState?.phase === "Succeeded") return true;
      throw new Error(`${sync?.status} ${operationState?.phase} ${operationState?.message}`);
    });
    expect(await different(name, "ServerSideDiff=false")).toEqual([]);
    expect(await different(name, "ServerSideDiff=true")).toEqual([]);
  });

  afterEach(async () => {
    await cluster().kubectl.delete("application", `cluster-dns-${name}`, "argocd");
    await clear(name);
  });
});

/** What a comparison from the beginning calls different. */
async function different(name: string, how: string): Promise<string[]> {
  const { kubectl } = cluster();
  const annotations = [`argocd.argoproj.io/compare-options=${how}`, "argocd.argoproj.io/refresh=hard"];
  await kubectl.run(["annotate", "application", "-n", "argocd", `cluster-dns-${name}`, "--overwrite", ...annotations]);
  const { status } = await until<Application>("the comparison", 60, async () => {
    const application = await controller().application(name);
    return application?.metadata.annotations?.["argocd.argoproj.io/refresh"] === undefined && application;
  });
  const out = (status?.resources ?? []).filter((resource) => resource.status !== "Synced");
  return [
    ...out.map((resource) => `${resource.kind} ${resource.name}`),
    ...(status?.sync?.status === "Synced" ? [] : [`the application: ${status?.sync?.status}`]),
    ...(status?.conditions ?? []).map(({ message }) => message),
  ];
}
