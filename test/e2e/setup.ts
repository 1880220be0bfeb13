import type { TestProject } from "vitest/node";
import { leftovers, removeCluster } from "./rig/cleanup";
import { Names } from "./rig/names";
import { consoleProgress } from "./rig/progress";
import { checkRequirements } from "./rig/requirements";
import { buildAllTools } from "./rig/tools";

declare module "vitest" {
  interface ProvidedContext {
    /** The cluster's name and the process that it is for: the one that runs all test files. */
    clusterName: string;
    ownerPid: number;
  }
}

/**
 * What the files need is there before they are read, so that none has a reason to skip. The tests' cluster is started by the
 * first file that asks for one, and ended here.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await checkRequirements();
  await buildAllTools(consoleProgress());
  const names = new Names(`test-${process.pid}`);
  project.provide("clusterName", names.cluster);
  project.provide("ownerPid", process.pid);
  return async () => {
    await removeCluster(names);
    const left = await leftovers(names);
    if (left.length > 0) throw new Error(["the tests' cluster left:", ...left].join("\n- "));
  };
}
