import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ArgoCd } from "../../../../rig/gitops/argocd";
import { consoleProgress } from "../../../../rig/progress";
import { repositoryRoot } from "../../../../rig/repository";
import { until } from "../../../../rig/until";
import { publishedCrds } from "../../lib/published-crds";
import { useServiceRanges } from "../../lib/service-ranges";
import { useCluster } from "../../lib/use-cluster";

const dist = join(repositoryRoot, "dist");

// Without nodes nothing becomes healthy; what differs between a manifest and the API server does not depend on that.
const cluster = useCluster({ apiServerOnly: "1.37", nodes: 0, ipFamilies: "dual" });
let argoCd: ArgoCd;

beforeAll(async () => {
  const { kubectl } = cluster();
  await kubectl.run(["apply", "--server-side", "-f", "-"], { input: await publishedCrds() });
  await useServiceRanges(kubectl);
  argoCd = await ArgoCd.start(cluster(), consoleProgress());
  await argoCd.takeForHealthy("Deployment", "DaemonSet");
});

describe.each(readdirSync(dist))("dist/%s", (name) => {
  it("is Synced in both ways to compare, and stays so", async () => {
    const { manifests } = argoCd.fleet;
    argoCd.fleet.synth({
      clusterDNS: ["10.96.0.10"],
      kubeProxyMode: "iptables",
      gitops: { argocd: { repoURL: argoCd.fleet.url } },
    });
    for (const entry of readdirSync(manifests))
      if (entry !== "gitops") rmSync(join(manifests, entry), { recursive: true });
    cpSync(join(dist, name), manifests, { recursive: true, filter: (source) => !source.endsWith("/gitops") });
    await argoCd.applied(await argoCd.commit());
    for (const mode of ["false", "true"]) {
      await argoCd.compareOnServer(mode === "true");
      const { status } = await until("a comparison", 60, () => argoCd.comparedAnew());
      expect({ mode, ...status?.sync }).toMatchObject({ mode, status: "Synced" });
    }
    await argoCd.remove();
    await cluster().kubectl.run(["delete", "-k", manifests, "--ignore-not-found"]);
  });
});
