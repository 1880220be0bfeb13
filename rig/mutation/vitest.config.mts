import { defineConfig } from "vitest/config";

// One room's tests, and the golden files of all modes, without the set-up of the fast suite, which they do not need.
export default defineConfig({
  test: {
    include: [`test/model/${process.env["MUTATION_ROOM"]}/**/*.test.ts`, "test/rows/rows.test.ts"],
    isolate: false,
    testTimeout: 120_000,
  },
});
