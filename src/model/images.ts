import { defaults } from "./defaults";

/** The image the user names or, by default, the standard one from the cluster's registry for default images. */
export function imageOf(named: string | undefined, standard: string, imageRegistry: string): string {
  return named ?? standard.replace(defaults.cluster.imageRegistry, imageRegistry);
}
