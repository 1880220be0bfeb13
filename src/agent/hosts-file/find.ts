import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { HostsFileError } from "./error";

/** A hosts file: its path on the host, and where the host's root is mounted here. */
export interface HostsFileLocation {
  /** `/host` in a pod, `/` without one. */
  readonly root: string;
  readonly path: string;
}

/** Our path to the file itself, with links resolved: the host's links start at its own root, not ours. */
export function findHostsFile({ root, path }: HostsFileLocation): string {
  const mounted = realpathSync(join(root, dirname(path)));
  let onHost = path;
  // As many links as the kernel follows.
  for (let links = 0; links <= 40; links++) {
    const here = join(root, onHost);
    const folder = realpathSync(dirname(here));
    if (folder !== mounted && !folder.startsWith(`${mounted}/`)) {
      throw new HostsFileError(
        "outside",
        `${path} leads to ${onHost} on the host, outside ${dirname(path)}, the only mounted folder`,
      );
    }
    const stats = lstatSync(here);
    if (!stats.isSymbolicLink()) {
      if (!stats.isFile()) throw new HostsFileError("not-a-file", `${onHost} is not a file; nothing was written`);
      return here;
    }
    onHost = resolve(dirname(onHost), readlinkSync(here));
  }
  throw new HostsFileError("outside", `${path} is a circular link`);
}
