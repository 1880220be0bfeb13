// `npm run bench`: what `doctor` and `diff --live` cost on a cluster of thousands of nodes, as shipped. The cluster is a
// stand-in, which the figures do not count.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { environment, makeScratch } from "./scratch.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const scratch = makeScratch();
const props = {
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "iptables",
  kubernetesVersion: "1.37",
  agentImage: "registry.example/agent:1",
  tenancy: { membership: "prefix", tenants: Array.from({ length: 200 }, (_, i) => ({ name: `tenant-${i}` })) },
  admission: { allowedUsers: ["system:admin"] },
  monitoring: {},
  networkPolicies: {},
};

try {
  mkdirSync(join(scratch, "bin"));
  cpSync(join(root, "bench/running/kubectl.mjs"), join(scratch, "bin/kubectl.mjs"));
  writeFileSync(
    join(scratch, "bin/kubectl"),
    `#!/bin/sh\nexec "${process.execPath}" "$(dirname "$0")/kubectl.mjs" "$@"\n`,
  );
  chmodSync(join(scratch, "bin/kubectl"), 0o755);
  mkdirSync(join(scratch, "clusters"));
  console.log("| nodes | command | seconds | CPU, s | peak memory, MB |\n|---|---|---|---|---|");
  for (const nodes of [500, 5000]) {
    describe({ ...props, size: { nodes, services: 2 * nodes } });
    const applied = rendered();
    writeFileSync(join(scratch, "running.json"), JSON.stringify({ nodes, applied }));
    measure(nodes, ["doctor", "large"]);
    // All that is rendered is otherwise.
    writeFileSync(join(scratch, "running.json"), JSON.stringify({ nodes, applied: applied.map(otherwise) }));
    measure(nodes, ["diff", "--live", "large"]);
  }
} finally {
  rmSync(scratch, { recursive: true });
}

function describe(description) {
  writeFileSync(join(scratch, "clusters/large.yaml"), JSON.stringify(description));
  const { status, stderr } = run(["synth"]);
  if (status !== 0) throw new Error(stderr);
}

function rendered() {
  const files = readdirSync(join(scratch, "dist/large"), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".yaml") && !/kustomization\.yaml$|^kubelet/.test(file))
    .map((file) => parse(readFileSync(join(scratch, "dist/large", file), "utf8")));
}

/** The same with other texts, apart from names, and other numbers. */
function otherwise(value, key = "") {
  if (Array.isArray(value)) return value.map((each) => otherwise(each));
  if (typeof value === "number") return value + 1;
  if (typeof value === "string") return ["apiVersion", "kind", "name", "namespace"].includes(key) ? value : `${value}x`;
  if (typeof value !== "object" || value === null || key === "labels") return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, otherwise(each, name)]));
}

function measure(nodes, args) {
  const start = performance.now();
  const { stderr } = run(args);
  const seconds = (performance.now() - start) / 1000;
  const { cpu, peak } = JSON.parse(stderr.trim().split("\n").at(-1));
  console.log(
    `| ${nodes} | ${args.slice(0, -1).join(" ")} | ${seconds.toFixed(1)} | ${(cpu / 1000).toFixed(1)} | ${peak.toFixed(0)} |`,
  );
}

function run(args) {
  const measured = ["--require", join(root, "bench/measure.cjs"), join(root, "lib/cli/main.js"), ...args];
  return spawnSync(process.execPath, measured, {
    cwd: scratch,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...environment, PATH: `${join(scratch, "bin")}${delimiter}${process.env.PATH}` },
  });
}
