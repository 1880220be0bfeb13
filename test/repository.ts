import { join, resolve } from "node:path";

export const root = resolve(__dirname, "..");

/** The command line that the fast suite's setup bundles. */
export const cli = join(root, "node_modules/.cache/cluster-dns/main.js");
