import { defineConfig } from "vitest/config";

// The fast suite: it needs nothing but Node. Those that need more have a configuration each.
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/kernel/**", "test/vm/**", "test/e2e/**", "test/registry/**"],
    globalSetup: "test/fast-setup.ts",
    setupFiles: "test/seeded.ts",
    // Many tests wait for a process: more workers than the one that a machine of two cores would get.
    maxWorkers: 3,
    // A tenth of their time went into collecting what tests leave.
    execArgv: ["--max-semi-space-size=64"],
    // No file changes what another imports, and loading cdk8s for each would take half of the time.
    isolate: false,
    // Where it is set, each of the processes that tests start, some hundreds, would read certificates for 28 ms.
    env: { NODE_EXTRA_CA_CERTS: "" },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
