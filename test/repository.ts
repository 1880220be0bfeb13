import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export const root = resolve(__dirname, "..");

/** The command line, bundled by the fast suite's setup. */
export const cli = join(root, "node_modules/.cache/cluster-dns/main.js");

/** What a script of `scripts/` exports. */
export async function importScript<Exports>(name: string): Promise<Exports> {
  return (await import(pathToFileURL(join(root, "scripts", name)).href)) as Exports;
}
