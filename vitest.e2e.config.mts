import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Vitest would begin with the largest files, but these take longest, each for minutes: at the end they would run alone.
const longest =
  /\/(monitoring|doctor|accepted|dns-service|network-policies|memory|kube-proxy-chains|flux|moves|pods|leaving|service-ip|link-local)\b/;
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longest.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

// Most files wait more than they compute, so that clusters fit beside each other. Of those that count lost queries only two: a processor
// that is busy looks like a server that is. What keeps the processors busy, what leaves dead clusters behind, and what builds
// the agent's image beside another that does, has the machine for itself.
const rig = ["test/e2e/cases/rig.test.ts", "test/e2e/cases/release.test.ts"];
const scale = ["test/e2e/cases/scale*.test.ts"];
// Of the two real controllers, CI runs Flux, in `behaviour`: it is built in half the time.
const gitops = ["test/e2e/cases/gitops/{argocd*,flux-sweep,smoke-test}.test.ts"];
const gitopsLosses = ["test/e2e/cases/gitops/losses/*.test.ts"];
const failures = [
  "test/e2e/cases/failures/{service-ip,link-local,spared-link-local,by-hand,pressure,reboot-*}.test.ts",
];
const kubernetes = ["test/e2e/cases/kubernetes/*.test.ts"];
// Upstream's programs, which are not among the Go modules (docs/development.md): without one, its file is left out.
const upstream = ["test/e2e/cases/upstream/*.test.ts"];
const lacking = ["autoscaler", "dnsperfgo", "kube-dns"]
  .filter((name) => process.env[`CLUSTER_DNS_${name.toUpperCase().replace("-", "_")}`] === undefined)
  .map((name) => `test/e2e/cases/upstream/${name}.test.ts`);
// What CI leaves to the night. Most provoke for minutes, on real machines, what lower suites provoke with less. The last build and start
// components that no other file needs.
const nightly = [
  "test/e2e/cases/{cert-manager,dns-elsewhere,dns-service,image-push,kube-proxy-chains,readme,taking-its-place}.test.ts",
  "test/e2e/cases/coredns/{memory,outages,same-answers-of-all,scale-out,upstream-faults-load}.test.ts",
  "test/e2e/cases/doctor/nodes.test.ts",
  "test/e2e/cases/failures/spared.test.ts",
  "test/e2e/cases/api-server/api-priority.test.ts",
  "test/e2e/cases/leaving/*.test.ts",
  "test/e2e/cases/monitoring/*.test.ts",
  "test/e2e/cases/{local-redirect/who-answers,network-policies/cilium}.test.ts",
];
const losses = [
  "test/e2e/cases/rolls/*.test.ts",
  "test/e2e/cases/node-local-dns/*.test.ts",
  "test/e2e/cases/local-redirect/losses.test.ts",
];

const common = {
  setupFiles: "test/seeded.ts",
  retry: 0, // a second run would hide a loss
  testTimeout: 1_500_000,
  hookTimeout: 3_600_000, // the first cluster on a machine waits for the build of Kubernetes
  teardownTimeout: 300_000,
};

export default defineConfig({
  test: {
    globalSetup: "test/e2e/setup.ts",
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: "behaviour",
          include: ["test/e2e/cases/**/*.test.ts"],
          exclude: [rig, scale, losses, failures, gitops, gitopsLosses, kubernetes, upstream, nightly].flat(),
          maxWorkers: 4,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...common, name: "nightly", include: nightly, maxWorkers: 4, sequence: { groupOrder: 0 } } },
      { test: { ...common, name: "losses", include: losses, maxWorkers: 2, sequence: { groupOrder: 1 } } },
      { test: { ...common, name: "failures", include: failures, maxWorkers: 2, sequence: { groupOrder: 6 } } },
      { test: { ...common, name: "scale", include: scale, maxWorkers: 1, sequence: { groupOrder: 2 } } },
      {
        test: {
          ...common,
          name: "upstream",
          include: upstream,
          exclude: lacking,
          maxWorkers: 1,
          sequence: { groupOrder: 7 },
        },
      },
      { test: { ...common, name: "gitops", include: gitops, maxWorkers: 3, sequence: { groupOrder: 4 } } },
      { test: { ...common, name: "gitops-losses", include: gitopsLosses, maxWorkers: 2, sequence: { groupOrder: 5 } } },
      {
        test: {
          ...common,
          name: "kubernetes-suite",
          include: kubernetes,
          globalSetup: "test/e2e/kubernetes-suite-setup.ts",
          maxWorkers: 3,
          sequence: { groupOrder: 6 },
        },
      },
      { test: { ...common, name: "rig", include: rig, maxWorkers: 1, sequence: { groupOrder: 3 } } },
    ],
  },
});
