import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** In memory, if it can be: a disk that is still writing what came before would be measured as well. */
const parent = process.env.TMPDIR === undefined && existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/**
 * A new folder for files that a benchmark writes; whoever asks for it removes it.
 * @returns {string}
 */
export function makeScratch() {
  return mkdtempSync(join(parent, "bench-"));
}

/** The environment, but for certificates, which Node reads at each start: half as long as a synthesis takes. */
export const environment = { ...process.env, NODE_EXTRA_CA_CERTS: undefined };
