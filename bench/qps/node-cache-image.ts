import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { imageArchive } from "../../rig/cluster/images";
import { tar } from "../../rig/cluster/tar";
import { defaults } from "../../src/model/defaults";

/** What node-cache runs to write its rules; its name tells the program which of them it is. */
const programs = ["iptables", "iptables-save", "iptables-restore"].map((name) => join("/usr/sbin", name));

/** An image like upstream's: a build of node-cache (docs/development.md), with this machine's iptables. */
export function nodeCacheImage(binary: string): Buffer {
  const files = new Set([...programs, ...programs.flatMap(librariesOf), ...extensions()]);
  const layer = tar([
    { path: "tmp/", mode: 0o1777 },
    { path: "run/" },
    { path: "node-cache", data: readFileSync(binary) },
    ...[...files].map((file) => ({ path: file.slice(1), data: readFileSync(file) })),
  ]);
  return imageArchive({ names: [defaults.nodeCacheImage], layers: [layer], entrypoint: ["/node-cache"] });
}

function librariesOf(program: string): string[] {
  return [...execFileSync("ldd", [program], { encoding: "utf8" }).matchAll(/(\/\S+) \(0x/g)].map(
    ([, path = ""]) => path,
  );
}

/** Of iptables, for each match and target. */
function extensions(): string[] {
  const folder = "/usr/lib/x86_64-linux-gnu/xtables";
  return readdirSync(folder).map((name) => join(folder, name));
}
