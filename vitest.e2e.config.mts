import { defineConfig } from "vitest/config";

// One file after the other: a cluster takes most of a small machine.
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts"],
    globalSetup: "test/e2e/setup.ts",
    fileParallelism: false,
    // A machine that stood still for a second looks like a failure; one that is real fails every time.
    retry: 2,
    testTimeout: 300_000,
    hookTimeout: 3_600_000, // the first cluster on a machine waits for the build of Kubernetes
    teardownTimeout: 60_000,
  },
});
