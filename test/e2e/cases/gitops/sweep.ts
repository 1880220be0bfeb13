import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll } from "vitest";
import type { Cluster } from "../../../../rig/cluster/cluster";
import type { GitOpsController } from "../../../../rig/gitops/controller";
import { consoleProgress, type Progress } from "../../../../rig/progress";
import { repositoryRoot } from "../../../../rig/repository";
import { useCluster } from "../../lib/use-cluster";
import { createPublishedCrds, useServiceRanges } from "../../lib/api-of-dist";

const dist = join(repositoryRoot, "dist");

/** The clusters of `dist/`, and a controller whose repository has them, beside an API server that knows all their kinds. */
export function useSweep<Controller extends GitOpsController>(
  start: (cluster: Cluster, progress: Progress) => Promise<Controller>,
) {
  const cluster = useCluster({ apiServerOnly: "1.37", nodes: 0, ipFamilies: "dual" });
  let controller: Controller;

  beforeAll(async () => {
    await createPublishedCrds(cluster().kubectl);
    await useServiceRanges(cluster().kubectl); // each cluster file has its own
    controller = await start(cluster(), consoleProgress());
    cpSync(dist, join(controller.fleet.folder, "dist"), { recursive: true });
    await controller.announce();
  });

  return {
    clusters: readdirSync(dist).sort(),
    cluster,
    controller: () => controller,
    /** Deletes a cluster's objects. */
    clear: async (name: string) => {
      await cluster().kubectl.run(["delete", "-k", join(dist, name), "--ignore-not-found"], { timeoutSeconds: 120 });
    },
  };
}
