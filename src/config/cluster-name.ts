/** Windows has devices of these names in every folder, whatever the extension. */
const devices = /^(con|prn|aux|nul|(com|lpt)[0-9])$/;

/** An RFC 1123 label: a cluster's name becomes a folder, and may become part of object names. */
export function isClusterName(name: string): boolean {
  return !devices.test(name) && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name);
}

/** What a cluster's name may be, for messages. */
export const clusterNameRule =
  "at most 63 lower-case letters, digits and hyphens, with a letter or digit at both ends; not a device of Windows, such as con or nul";
