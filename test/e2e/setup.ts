import type { TestProject } from "vitest/node";
import { agentArchive } from "../../rig/cluster/agent-image";
import { clusters, leftovers, removeCluster } from "../../rig/cluster/cleanup";
import { buildImages } from "../../rig/cluster/images";
import { Names } from "../../rig/cluster/names";
import { checkRequirements } from "../../rig/cluster/requirements";
import { consoleProgress } from "../../rig/progress";
import { buildAllTools } from "../../rig/tools";

declare module "vitest" {
  interface ProvidedContext {
    /** Prefix of the test clusters' names, and their owner: the process that runs all test files. */
    clusterName: string;
    ownerPid: number;
  }
}

/**
 * Builds what the files need before they are loaded, so that none has a reason to skip and none builds what another
 * does. Ends clusters that a file has left behind.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await checkRequirements();
  await buildAllTools(consoleProgress());
  await buildImages(consoleProgress());
  await agentArchive();
  const name = `test-${process.pid}`;
  project.provide("clusterName", name);
  project.provide("ownerPid", process.pid);
  return async () => {
    for (const cluster of (await clusters()).filter((each) => each.startsWith(`${name}-`))) {
      const names = new Names(cluster);
      await removeCluster(names);
      const left = await leftovers(names);
      if (left.length > 0) throw new Error(["the tests' cluster left:", ...left].join("\n- "));
    }
  };
}
