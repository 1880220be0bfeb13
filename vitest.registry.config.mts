import { defineConfig } from "vitest/config";

// Tests that install packages: they need a package registry, and git.
export default defineConfig({
  test: {
    include: ["test/registry/**/*.test.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
