import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { keep } from "../../../rig/cluster/images";
import { tar } from "../../../rig/cluster/tar";
import { defaults } from "../../../src/model/defaults";

/** An image in the place of cluster-proportional-autoscaler's. */
export function autoscalerImage(program: string): string {
  return programImage(defaults.autoscaler.image, "cluster-proportional-autoscaler", program);
}

/** An image that holds one static program and nothing else: its archive. */
export function programImage(image: string, name: string, program: string): string {
  const data = readFileSync(program);
  const hash = createHash("sha256").update(data).digest("hex").slice(0, 10);
  return keep(`${name}-${hash}`, () => ({
    names: [image],
    layers: [tar([{ path: name, data }])],
    entrypoint: [`/${name}`],
  }));
}
