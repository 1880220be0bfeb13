import { join } from "node:path";
import type { Kubectl } from "./kubectl";
import { goModule } from "../go-module";
import { until } from "../until";

/** Definitions of custom resources in a Go module. */
export interface PublishedCrds {
  /** `PATH@VERSION`. */
  readonly module: string;
  readonly files: readonly string[];
}

/** The files' paths on this machine. */
export async function publishedPaths({ module, files }: PublishedCrds): Promise<string[]> {
  const folder = await goModule(module);
  return files.map((file) => join(folder, file));
}

/** Creates the custom resources that files or folders define, and waits until they can be used. */
export async function createCrds(kubectl: Kubectl, paths: readonly string[]): Promise<void> {
  await kubectl.run(["apply", "--server-side", ...paths.flatMap((path) => ["-f", path])]);
  // kubectl fails on a definition that has no conditions yet
  const wait = ["wait", "--for=condition=Established", "crd", "--all", "--timeout=300s"];
  await until("the custom resources", 90, async () => Boolean(await kubectl.run(wait)));
}
