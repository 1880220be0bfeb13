import { join, resolve } from "node:path";

export const root = resolve(__dirname, "..");

/** The command line, bundled by the fast suite's setup. */
export const cli = join(root, "node_modules/.cache/cluster-dns/main.js");
