// `npm run test:nightly`: every suite whole, for hours, with the summary of `.ci/run`. `npm run test:nightly -- WORD`
// runs only those whose name has the word. Needs what `.ci/run` installs.
import { npm, run, runSuites, vitest } from "./run-suites.mjs";

/** Programs that are not among the Go modules (docs/development.md): without them, what runs them is left out. */
const named = ["CLUSTER_DNS_DNSPERFGO", "CLUSTER_DNS_AUTOSCALER", "CLUSTER_DNS_KUBE_DNS"];
const upstream = named.every((name) => process.env[name] !== undefined);
if (!upstream) console.log(`without --project upstream, whose programs ${named.join(", ")} name`);

/** Modules of rig/tools that not every cluster runs. */
const components = [
  "argocd",
  "cert-manager",
  "cilium",
  "flux",
  "kubernetes-suite",
  "kubernetes-validation",
  "kustomize",
  "kwok",
  "source-controller",
];
const all = [
  npm("build"),
  vitest("test"),
  run("components", ["node", "scripts/build-tools.mjs", ...components]),
  vitest("test:e2e", ...(upstream ? [] : ["--project", "!upstream"])),
  vitest("test:kernel"),
  vitest("test:vm"),
  vitest(
    "test:vm",
    "--kernel",
    "oldest",
    "test/vm/ipvs.test.ts",
    "test/kernel/link.test.ts",
    "test/kernel/rule-sets.test.ts",
  ),
  vitest("test:registry"),
  vitest("test:site"),
  // The least versions that package.json's `engines` names, and the lines that are alive.
  ...["20.19.0", "22.12.0", "22", "24", "26"].map((version) => vitest("test:node", version)),
  npm("test:killed"),
  npm("test:mutation"),
  npm("test:floods"),
];
// Printed, to have the same ones again.
process.env.SEED ??= String(Date.now() % 1_000_000);
console.log(`random values: SEED=${process.env.SEED}`);
const words = process.argv.slice(2);
await runSuites(all.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word))));
