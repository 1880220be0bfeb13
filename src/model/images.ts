import { defaults } from "./defaults";

/** The image that a user names in full, else the default one, from the registry that the cluster takes default images from. */
export function imageOf(named: string | undefined, standard: string, imageRegistry: string): string {
  return named ?? standard.replace(defaults.cluster.imageRegistry, imageRegistry);
}
