import { defineConfig } from "vitest/config";

// Most files wait more than they compute, so that clusters fit beside each other. Of those that count lost queries only two: a processor
// that is busy looks like a server that is. What keeps the processors busy, what leaves dead clusters behind, and what builds
// the agent's image beside another that does, has the machine for itself.
const rig = ["test/e2e/cases/rig.test.ts", "test/e2e/cases/release.test.ts"];
const scale = ["test/e2e/cases/scale.test.ts"];
const gitops = ["test/e2e/cases/gitops/*.test.ts"];
const losses = ["test/e2e/cases/rolls/*.test.ts", "test/e2e/cases/node-local-dns/*.test.ts"];

const common = {
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
          name: "behaviour",
          include: ["test/e2e/cases/**/*.test.ts"],
          exclude: [...rig, ...scale, ...losses, ...gitops],
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...common, name: "losses", include: losses, maxWorkers: 2, sequence: { groupOrder: 1 } } },
      { test: { ...common, name: "scale", include: scale, maxWorkers: 1, sequence: { groupOrder: 2 } } },
      { test: { ...common, name: "gitops", include: gitops, maxWorkers: 1, sequence: { groupOrder: 4 } } },
      { test: { ...common, name: "rig", include: rig, maxWorkers: 1, sequence: { groupOrder: 3 } } },
    ],
  },
});
