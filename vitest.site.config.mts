import { defineConfig } from "vitest/config";

// The site and its editor, in Debian's Chromium.
export default defineConfig({
  test: {
    include: ["site/test/**/*.test.ts"],
    globalSetup: "site/test/setup.ts",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
