import type { FullGitOps } from "../full-props/fill-in";
import { argoCdObjects } from "./argocd";
import { fluxFolder, fluxObjects } from "./flux";
import type { KubernetesObject } from "../kubernetes/object";
import { repositoryPath, type RenderedFolders } from "./rendered-folders";

/**
 * The objects with which a GitOps controller applies a cluster's manifests. Each controller has a folder of its own:
 * Flux would prune everything if its objects gave way to Argo CD's, but does nothing once their folder is gone.
 */
export function gitOpsObjects(
  options: FullGitOps | undefined,
  folders: RenderedFolders,
): { readonly [folder: string]: readonly KubernetesObject[] } {
  return {
    ...(options?.argocd ? { "gitops/argocd": argoCdObjects(options.argocd, folders) } : {}),
    ...(options?.flux ? { [fluxFolder]: fluxObjects(options.flux, folders) } : {}),
  };
}

/**
 * The folder in which the repository has a cluster's manifests.
 * @param output Where they are rendered: a `folder` of `.` is that of an artifact made from it, and nobody else says.
 */
export function manifestsFolder(options: FullGitOps | undefined, cluster: string, output: string): string {
  const controller = options?.argocd ?? options?.flux;
  const folder = controller && repositoryPath(controller.folder);
  return `${folder || output}/${cluster}`;
}
