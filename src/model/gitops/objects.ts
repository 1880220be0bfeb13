import { kubectl } from "../command";
import { inDocs } from "../docs";
import type { FullGitOps } from "../full-props/fill-in";
import type { Applier } from "./applier";
import { argoCd } from "./argocd";
import { flux } from "./flux";
import { repositoryPath } from "./rendered-folders";

export function applierOf(options: FullGitOps | undefined): Applier {
  if (options?.argocd) return argoCd(options.argocd);
  return options?.flux ? flux(options.flux) : person;
}

const person: Applier = {
  objects: () => ({}),
  show: () => [],
  apply: (_, manifests) => kubectl("apply", "--server-side", "--force-conflicts", "-k", manifests),
  testAgain: (_, manifests) => kubectl("apply", "--server-side", "-k", `${manifests}/smoke-test`),
  end: () => [
    `End the objects of your own by which Argo CD or Flux applies this cluster's folder, if there are any. What they applied must stay (${inDocs("leaving")}).`,
  ],
};

/** @param output Where they are rendered: a `folder` of `.` is that of an artifact, and nobody else says. */
export function manifestsFolder(options: FullGitOps | undefined, cluster: string, output: string): string {
  return `${repositoryPath(applierOf(options).folder ?? "") || output}/${cluster}`;
}
