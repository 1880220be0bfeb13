import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Network } from "../../rig/kernel/network";

/** A folder for PATH whose programs run a line of shell before the real ones. */
export function tools(network: Network, scripts: { readonly [tool: string]: string }): string {
  const folder = join(network.folder, `tools-${Math.random().toString(36).slice(2)}`);
  mkdirSync(folder);
  for (const [tool, script] of Object.entries(scripts)) {
    const real = execFileSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).trim();
    writeFileSync(join(folder, tool), `#!/bin/sh\nreal() { ${real} "$@"; }\n${script}\nreal "$@"\n`);
    chmodSync(join(folder, tool), 0o755);
  }
  return `${folder}:${process.env["PATH"]}`;
}
