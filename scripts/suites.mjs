// What `.ci/run` runs of each suite, and what it leaves to `npm run test:nightly`: together every suite whole, and nothing
// twice but with other programs or random values. As a program (`npm run lint`): refuses a test file that belongs to neither, or to both.
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { vitest } from "./run-suites.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

// What of the kernel suite shows right and wrong in seconds. The other files count losses or measure for minutes.
const kernelAtCi =
  "rule-sets random-clusters link node-setup at-once node-cache watchdog hang interception-change link-addresses past-cache conntrack rewrite image hosts-file openshift-writer"
    .split(" ")
    .map((name) => `test/kernel/${name}.test.ts`);

// Of a guest of one processor each.
const vmAtCi = [["test/vm/ipvs.test.ts"], ["test/vm/cgroup2.test.ts", "test/kernel/link.test.ts"]];

// What touches files and the command line, on the oldest version that package.json's `engines` names and on the newest.
const nodesAtCi = ["20.19.0", "26"];
const dependsOnNode = ["test/cli", "test/config", "test/output", "test/dist.test.ts"];

/** They name programs that are not among the Go modules (docs/development.md): without one, what runs it is left out. */
const programs = ["CLUSTER_DNS_DNSPERFGO", "CLUSTER_DNS_AUTOSCALER", "CLUSTER_DNS_KUBE_DNS", "CLUSTER_DNS_NODE_CACHE"];
export const lacking = programs.filter((name) => process.env[name] === undefined);

export const ci = {
  fast: vitest("test"),
  e2e: group("behaviour"),
  kernel: vitest("test:kernel", ...kernelAtCi),
  vm: vmAtCi.map((files) => vitest("test:vm", ...files)),
  registry: vitest("test:registry"),
  site: vitest("test:site"),
  nodes: nodesAtCi.map((version) => vitest("test:node", version, ...dependsOnNode)),
};

export const night = {
  e2e: [
    ...["nightly", "losses", "failures", "scale", "gitops", "gitops-losses"].map(group),
    // It may have no file: vitest.e2e.config.mts.
    vitest("test:e2e", "--project", "upstream", "--passWithNoTests"),
  ],
  // These neither count losses nor measure time.
  patientE2e: ["kubernetes-suite", "rig"].map(group),
  kernel: vitest("test:kernel", ...testsIn("test/kernel").filter((file) => !kernelAtCi.includes(file))),
  vm: vitest(
    "test:vm",
    ...[...testsIn("test/vm"), "test/kernel/rule-sets.test.ts"].filter((file) => !vmAtCi.flat().includes(file)),
  ),
  oldestVm: vitest(
    "test:vm",
    "--kernel",
    "oldest",
    "test/vm/ipvs.test.ts",
    "test/kernel/link.test.ts",
    "test/kernel/rule-sets.test.ts",
  ),
  // CI has an imitation of the program.
  nodeCache: lacking.includes("CLUSTER_DNS_NODE_CACHE")
    ? []
    : [vitest("test:kernel", "test/kernel/node-cache.test.ts")],
  // What CI runs with the same random values each time, with the night's.
  random: [
    vitest("test:kernel", "test/kernel/random-clusters.test.ts"),
    vitest(
      "test:e2e",
      "--project",
      "behaviour",
      "random-clusters.test.ts",
      "any-tenants.test.ts",
      "search-path.test.ts",
    ),
  ],
  // The fast suite on the least versions that `engines` names and the lines that are alive, with the night's random values.
  nodes: [
    ...nodesAtCi.map((version) => vitest("test:node", version, ...dependsOnNode.flatMap(without))),
    ...["22.12.0", "22", "24"].map((version) => vitest("test:node", version)),
  ],
};

function group(name) {
  return vitest("test:e2e", "--project", name);
}

function without(path) {
  return ["--exclude", path.endsWith(".ts") ? path : `${path}/**`];
}

function testsIn(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(folder, name))
    .toSorted();
}

/**
 * What is wrong with how test files are shared among the suites.
 * @param files All test files.
 * @param suites Of each suite: the files that its vitest.*.config.mts includes, in each of its projects, and those that
 *   steps name.
 */
export function misplaced(files, suites) {
  const isIncluded = (file) => suites.some(({ included }) => included.includes(file));
  return [
    ...files.filter((file) => !isIncluded(file)).map((file) => `${file}: no vitest.*.config.mts includes it`),
    ...suites.flatMap(({ script, included, named }) => {
      const times = (file) => named.filter((each) => each === file).length;
      return [...new Set([...included, ...named])]
        .filter((file) => times(file) !== 1 || !included.includes(file))
        .map(
          (file) =>
            `${file}: its suite ${script} includes it ${count(included, file)}, steps run it ${count(named, file)}`,
        );
    }),
  ];
}

function count(files, file) {
  const times = files.filter((each) => each === file).length;
  return times === 1 ? "once" : `${times} times`;
}

async function check() {
  const suites = await Promise.all([
    listed(ci.fast),
    listed(ci.e2e, ...night.e2e, ...night.patientE2e),
    listed(ci.kernel, night.kernel),
    listed(...ci.vm, night.vm),
    listed(ci.registry),
    listed(ci.site),
  ]);
  const files = ["src", "rig", "bench", "scripts", "test", "site/test"].flatMap(testsIn);
  const problems = misplaced(files, suites);
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

/** A suite, by the steps that run it: they name files, or projects, or nothing and run all. */
async function listed(...steps) {
  const [{ script }] = steps;
  const config = `vitest.${script === "test" ? "" : script.replace("test:", "") + "."}config.mts`;
  const args = ["node_modules/vitest/vitest.mjs", "list", "--filesOnly", "--json", "--config", config];
  const env = { ...process.env, ...Object.fromEntries(programs.map((name) => [name, ""])) };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
  const all = JSON.parse(stdout).map(({ file, projectName }) => ({ file: relative(root, file), projectName }));
  const included = all.map(({ file }) => file);
  const named = steps.flatMap(({ args: words }) => {
    if (words.length === 0) return included;
    const ofProjects = all.filter(({ projectName }) => words.includes(projectName)).map(({ file }) => file);
    return [...ofProjects, ...words.filter((word) => word.endsWith(".test.ts"))];
  });
  return { script, included, named };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await check();
