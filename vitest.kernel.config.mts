import { defineConfig } from "vitest/config";

// Tests in network namespaces: root, one file after the other, for they measure time.
export default defineConfig({
  test: {
    include: ["test/kernel/**/*.test.ts"],
    globalSetup: "test/kernel/setup.ts",
    setupFiles: "test/seeded.ts",
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
});
