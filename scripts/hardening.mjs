// Runs checkov and kube-score over dist/ and compares what they find with what docs/hardening.md answers: fails on a finding without an
// answer, and on an answer to nothing. The tools are installed into .cache, once.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const versions = { checkov: "3.3.30", "kube-score": "v1.20.0" };

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const cache = process.env.CLUSTER_DNS_CACHE ?? join(root, ".cache");
const tools = join(cache, "hardening", Object.values(versions).join("-"));

install();
const found = [...checkovFindings(), ...kubeScoreFindings()];
const answered = answers(readFileSync(join(root, "docs/hardening.md"), "utf8"));
const identity = ({ check, object }) => `${check} ${object}`;
const open = found.filter((finding) => !answered.some((answer) => identity(answer) === identity(finding)));
const stale = answered.filter((answer) => !found.some((finding) => identity(answer) === identity(finding)));
for (const finding of unique(open)) console.log(`no answer: ${finding}`);
for (const answer of unique(stale)) console.log(`answers nothing: ${answer}`);
console.log(
  `${found.length} findings of checkov ${versions.checkov} and kube-score ${versions["kube-score"]}: ${unique(found).length} kinds, ${unique(open).length} of them without an answer in docs/hardening.md`,
);
process.exitCode = open.length + stale.length > 0 ? 1 : 0;

function install() {
  const run = (command, args, env = {}) =>
    execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, ...env } });
  if (!existsSync(join(tools, "bin/checkov"))) {
    run("python3", ["-m", "venv", tools]);
    run(join(tools, "bin/pip"), ["install", "--quiet", `checkov==${versions.checkov}`]);
  }
  if (!existsSync(join(tools, "bin/kube-score"))) {
    const module = `github.com/zegl/kube-score/cmd/kube-score@${versions["kube-score"]}`;
    run("go", ["install", module], { GOBIN: join(tools, "bin"), GOFLAGS: "-mod=mod" });
  }
}

/** `Deployment.kube-system.coredns`, and `Pod.kube-system.coredns.k8s-app-kube-dns` for the pods of a workload. */
function checkovFindings() {
  const report = JSON.parse(
    output(join(tools, "bin/checkov"), [
      `--directory=${dist}`,
      "--framework=kubernetes",
      "--output=json",
      "--compact",
      "--quiet",
      "--skip-download",
    ]),
  );
  return [report].flat().flatMap(({ results }) =>
    results.failed_checks.map((failed) => ({
      check: failed.check_id,
      object: withoutHash(failed.resource.split(".")[2]),
    })),
  );
}

function kubeScoreFindings() {
  return readdirSync(dist).flatMap((cluster) => {
    const objects = JSON.parse(
      output(join(tools, "bin/kube-score"), ["score", "--output-format", "json", ...manifests(join(dist, cluster))]),
    );
    return objects.flatMap(({ object_meta: { name }, checks }) =>
      checks
        .filter(({ grade, skipped }) => grade < 10 && !skipped)
        .map(({ check }) => ({ check: check.id, object: withoutHash(name) })),
    );
  });
}

function manifests(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "kubelet")
    .flatMap(({ name }) => readdirSync(join(folder, name)).map((file) => join(folder, name, file)))
    .filter((file) => file.endsWith(".yaml") && !file.endsWith("kustomization.yaml"));
}

/** Both end with failure where they find something. */
function output(command, args) {
  const { stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8", maxBuffer: 2 ** 30 });
  if (error) throw error;
  if (!stdout) throw new Error(`${command}: ${stderr}`);
  return stdout;
}

/** The items of the list: `- **What** (CHECK, CHECK), on OBJECT, OBJECT: reason`. */
function answers(text) {
  const items = text.matchAll(/^- \*\*[^*]+\*\* \(([^)]+)\),\son\s([^]+?):\s/gm);
  const names = (part) => [...part.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  return [...items].flatMap(([, checks, objects]) =>
    names(checks).flatMap((check) => names(objects).map((object) => ({ check, object }))),
  );
}

function withoutHash(name) {
  return name.replace(/-[0-9a-f]{10}$/, "");
}

function unique(findings) {
  return [...new Set(findings.map(identity))].sort();
}
