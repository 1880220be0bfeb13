import { defineConfig } from "vitest/config";

// One room's tests, and the golden files of all modes, without the set-up of the fast suite, which they do not need. What
// the room corefile says of plugins, the room check refuses.
const room = process.env["MUTATION_ROOM"];
export default defineConfig({
  test: {
    include: [
      `test/model/${room}/**/*.test.ts`,
      "test/rows/rows.test.ts",
      ...(room === "corefile" ? ["test/model/check/corefile-additions.test.ts"] : []),
    ],
    isolate: false,
    testTimeout: 120_000,
  },
});
