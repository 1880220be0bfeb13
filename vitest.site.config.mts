import { defineConfig } from "vitest/config";

// The site and its editor, in Debian's Chromium.
export default defineConfig({
  test: {
    include: ["site/test/**/*.test.ts"],
    globalSetup: "site/test/setup.ts",
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
