// `npm run test:nightly`: of each suite what `.ci/run` leaves out (suites.mjs), with the summary of `.ci/run`.
// `npm run test:nightly -- WORD...` runs only the steps whose name has one of the words, `-- --not WORD` all others. Needs
// what `.ci/run` installs.
import { parseArgs } from "node:util";
import { npm, run, runSuites } from "./run-suites.mjs";
import { lacking, night } from "./suites.mjs";

if (lacking.length > 0) console.log(`without what runs the programs that ${lacking.join(", ")} would name`);

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
const stages = [
  npm("build"),
  run("components", ["node", "scripts/build-tools.mjs", ...components]),
  ...night.e2e,
  // Alone: it counts answers that are lost, and measures.
  [[night.kernel, ...night.nodeCache]],
  // Two guests of one processor each, whose tests are patient. What is beside them measures no time.
  [
    [...night.patientE2e, ...night.random, ...night.nodes, npm("test:killed"), npm("test:floods")],
    [night.vm],
    [night.oldestVm],
  ],
];
// Printed, to have the same ones again.
process.env.SEED ??= String(Date.now() % 1_000_000);
console.log(`random values: SEED=${process.env.SEED}`);
const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { not: { type: "string", multiple: true, default: [] } },
});
const isWanted = ({ name }) =>
  (words.length === 0 || words.some((word) => name.includes(word))) && !values.not.some((word) => name.includes(word));
const wanted = (lanes) => lanes.map((lane) => [lane].flat().filter(isWanted)).filter((lane) => lane.length > 0);
await runSuites(
  stages.map((stage) => wanted([stage].flat())),
  ".cache/suites/nightly",
);
