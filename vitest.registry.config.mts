import { defineConfig } from "vitest/config";

// Tests that install packages: they need a package registry, and git.
export default defineConfig({
  test: {
    include: ["test/registry/**/*.test.ts"],
    testTimeout: 1_500_000,
    hookTimeout: 1_500_000,
  },
});
