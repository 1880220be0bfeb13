/** An RFC 1123 label: a cluster's name becomes a folder, and may become part of object names. */
export function isClusterName(name: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name);
}

/** What a cluster's name may be, for messages. */
export const clusterNameRule = "at most 63 lower-case letters, digits and hyphens, with a letter or digit at both ends";
