import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The built site. */
export const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");
export const root = join(dist, "../..");
