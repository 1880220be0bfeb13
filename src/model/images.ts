import { defaults } from "./defaults";
import { compareVersions } from "./syntax/compare-versions";

/** The image the user names or, by default, the standard one from the cluster's registry for default images. */
export function imageOf(named: string | undefined, standard: string, imageRegistry: string): string {
  return named ?? standard.replace(defaults.cluster.imageRegistry, imageRegistry);
}

/** Whether the tag of an image names a version of CoreDNS before this one; a digest and a name of one's own do not. */
export function isCoreDnsBefore(version: string, image: string): boolean {
  const [, tagged] = /:v?(\d+\.\d+\.\d+)[^/]*$/.exec(image) ?? [];
  return tagged !== undefined && compareVersions(tagged, version) < 0;
}
