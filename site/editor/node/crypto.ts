import { sha256 } from "@noble/hashes/sha2.js";

/** Node's `createHash`, as far as a synthesis calls it: SHA-256 of texts. */
export function createHash(algorithm: string) {
  if (algorithm !== "sha256") throw new Error(`the browser's synthesizer has no ${algorithm}`);
  const hash = sha256.create();
  return {
    update(text: string) {
      hash.update(new TextEncoder().encode(text));
      return this;
    },
    digest(encoding?: "hex") {
      const bytes = hash.digest();
      if (encoding === undefined) return bytes;
      return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    },
  };
}
