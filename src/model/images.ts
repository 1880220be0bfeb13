import { defaults } from "./defaults";

/** The image the user names or, by default, ours from the registry that the cluster takes default images from. */
export function imageOf(named: string | undefined, standard: string, imageRegistry: string): string {
  return named ?? standard.replace(defaults.cluster.imageRegistry, imageRegistry);
}
