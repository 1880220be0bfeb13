import { defineConfig } from "vitest/config";

// One room's tests, without the set-up of the fast suite, which they do not need.
export default defineConfig({
  test: { include: [`test/model/${process.env["MUTATION_ROOM"]}/**/*.test.ts`], isolate: false, testTimeout: 120_000 },
});
