import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export const root = resolve(__dirname, "..");

export { readText } from "../rig/repository";

/** The names in a folder of the checkout. */
export function namesIn(folder: string): string[] {
  return readdirSync(join(root, folder));
}

/** The command line, bundled by the fast suite's setup. */
export const cli = join(root, "node_modules/.cache/cluster-dns/main.js");

/** What a script of `scripts/` exports. */
export async function importScript<Exports>(name: string): Promise<Exports> {
  return (await import(pathToFileURL(join(root, "scripts", name)).href)) as Exports;
}
