import { consoleProgress } from "../../../../rig/progress";
import { buildPause } from "../../../../rig/tools";
import { defaults } from "../../../../src/model/defaults";
import { programImage } from "../../lib/program-image";

/** An image in the place of cluster-proportional-autoscaler's, which runs and changes nothing: its archive. */
export async function idleAutoscaler(): Promise<string> {
  return programImage(
    defaults.autoscaler.image,
    "cluster-proportional-autoscaler",
    await buildPause(consoleProgress()),
  );
}
