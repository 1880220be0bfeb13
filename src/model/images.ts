import { defaults } from "./defaults";
import { compareVersions } from "./syntax/compare-versions";

/** The image the user names or, by default, the standard one from the cluster's registry for default images. */
export function imageOf(named: string | undefined, standard: string, imageRegistry: string): string {
  return named ?? standard.replace(defaults.cluster.imageRegistry, imageRegistry);
}

/** The version of CoreDNS in the tag of an image; undefined with a digest alone, or a name of one's own. */
export function coreDnsVersionIn(image: string): string | undefined {
  return /:v?(\d+\.\d+\.\d+)[^/]*$/.exec(image)?.[1];
}

/** Whether a version is known, and is before another. */
export function isBefore(version: string | undefined, other: string): boolean {
  return version !== undefined && compareVersions(version, other) < 0;
}

/** What k8s-dns-node-cache 1.26.8 contains. */
export const nodeCacheCoreDns = "1.13.2";
