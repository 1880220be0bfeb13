import type { Kubectl } from "../cluster/kubectl";
import { until } from "../until";

/** Creates the custom resources that files or folders define, and waits until they can be used. */
export async function createCrds(kubectl: Kubectl, paths: readonly string[]): Promise<void> {
  await kubectl.run(["apply", "--server-side", ...paths.flatMap((path) => ["-f", path])]);
  // kubectl fails on a definition that has no conditions yet
  const wait = ["wait", "--for=condition=Established", "crd", "--all", "--timeout=30s"];
  await until("the custom resources", 30, async () => (await kubectl.attempt(wait)).code === 0);
}
