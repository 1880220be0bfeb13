import { join } from "node:path";

/** Where npm runs its scripts. */
export const root = process.cwd();
/** The built site. */
export const dist = join(root, "site/dist");
