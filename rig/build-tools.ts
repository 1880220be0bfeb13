import { agentArchive } from "./cluster/agent-image";
import { buildImages } from "./cluster/images";
import { checkRequirements } from "./cluster/requirements";
import { consoleProgress } from "./progress";
import { buildAllTools, buildTools, type GoToolsName } from "./tools";

/** Builds what the clusters of the tests run, and the modules of rig/tools that the arguments name. */
async function main(names: readonly string[]): Promise<void> {
  const progress = consoleProgress();
  await checkRequirements();
  await buildAllTools(progress);
  await buildTools(progress, names as readonly GoToolsName[]);
  await buildImages(progress);
  await agentArchive();
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
