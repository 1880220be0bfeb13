import { readFileSync } from "node:fs";
import { keep } from "../../../../rig/cluster/images";
import { tar } from "../../../../rig/cluster/tar";
import { consoleProgress } from "../../../../rig/progress";
import { buildPause } from "../../../../rig/tools";
import { defaults } from "../../../../src/model/defaults";

/** An image in the place of cluster-proportional-autoscaler's, which runs and changes nothing: its archive. */
export async function idleAutoscaler(): Promise<string> {
  const pause = readFileSync(await buildPause(consoleProgress()));
  return keep("idle-autoscaler", () => ({
    names: [defaults.autoscaler.image],
    layers: [tar([{ path: "cluster-proportional-autoscaler", data: pause }])],
    entrypoint: ["/cluster-proportional-autoscaler"],
  }));
}
