import { defineConfig } from "vitest/config";

const others = ["test/kernel/**", "test/e2e/**"];

// `fast` needs nothing but Node; the others say what they need, and skip with a reason where it is missing.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "fast",
          include: ["test/**/*.test.ts"],
          exclude: others,
          globalSetup: "test/fast-setup.ts",
          testTimeout: 30_000,
        },
      },
      { test: { name: "kernel", include: ["test/kernel/**/*.test.ts"], testTimeout: 120_000 } },
      { test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeout: 600_000, hookTimeout: 600_000 } },
    ],
  },
});
