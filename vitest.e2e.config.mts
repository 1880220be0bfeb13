import { defineConfig } from "vitest/config";

// What counts lost queries has the machine for itself, and what leaves dead clusters behind; the rest mostly waits, so that two
// clusters fit beside each other.
const alone = ["rig", "rolls", "node-local-dns", "scale"].map((name) => `test/e2e/${name}.test.ts`);

const common = {
  // A machine that stood still for a second looks like a failure; one that is real fails every time.
  retry: 2,
  testTimeout: 300_000,
  hookTimeout: 3_600_000, // the first cluster on a machine waits for the build of Kubernetes
  teardownTimeout: 60_000,
};

export default defineConfig({
  test: {
    globalSetup: "test/e2e/setup.ts",
    projects: [
      {
        test: {
          ...common,
          name: "two-at-a-time",
          include: ["test/e2e/**/*.test.ts"],
          exclude: alone,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...common, name: "one-at-a-time", include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
