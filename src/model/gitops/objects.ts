import { defaults } from "../defaults";
import type { GitOpsOptions } from "../props/gitops";
import { argoCdObjects } from "./argocd";
import { fluxFolder, fluxObjects } from "./flux";
import { repositoryPath, type GitOpsObject, type RenderedFolders } from "./rendered-folders";

/**
 * The objects with which a GitOps controller applies a cluster's manifests. Each controller has a folder of its own:
 * Flux would prune everything if its objects gave way to Argo CD's, but does nothing once their folder is gone.
 */
export function gitOpsObjects(
  options: GitOpsOptions | undefined,
  folders: RenderedFolders,
): { readonly [folder: string]: readonly GitOpsObject[] } {
  return {
    ...(options?.argocd ? { "gitops/argocd": argoCdObjects(options.argocd, folders) } : {}),
    ...(options?.flux ? { [fluxFolder]: fluxObjects(options.flux, folders) } : {}),
  };
}

/** The folder in which the repository has a cluster's manifests. A `folder` of `.` is that of an artifact made from it. */
export function manifestsFolder(options: GitOpsOptions | undefined, cluster: string): string {
  const { folder = "" } = options?.argocd ?? options?.flux ?? {};
  return repositoryPath(repositoryPath(folder) || defaults.flux.folder, cluster);
}
