import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readText, root } from "../repository";

const page = readText("docs/your-repository.md");

interface Manager {
  readonly name: "npm" | "pnpm" | "Yarn";
  /** Its own package; npm comes with Node. */
  readonly packageName?: string;
  /** What it calls `npm ci`. */
  readonly ci: string;
}

const managers: readonly Manager[] = [
  { name: "npm", ci: "npm ci" },
  { name: "pnpm", packageName: "pnpm@10", ci: "pnpm install --frozen-lockfile" },
  { name: "Yarn", packageName: "@yarnpkg/cli-dist@4", ci: "yarn install --immutable" },
];

let folder: string;
let tarball: string;
let environment: NodeJS.ProcessEnv;

beforeAll(() => {
  // A registry may be busy, too.
  process.env["npm_config_fetch_retries"] = "5";
  folder = mkdtempSync(join(tmpdir(), "your-repository-"));
  const pack = ["pack", "--silent", "--pack-destination", folder];
  const shown = execFileSync("npm", pack, { cwd: root, encoding: "utf8" });
  tarball = shown.trim().split("\n").at(-1) ?? "";
  const packages = managers.flatMap(({ packageName = [] }) => packageName);
  execFileSync("npm", ["install", "--silent", "--no-save", "--prefix", join(folder, "managers"), ...packages]);
  // Yarn does not read npm's configuration.
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  environment = {
    ...process.env,
    PATH: [join(folder, "managers/node_modules/.bin"), process.env["PATH"]].join(delimiter),
    npm_config_store_dir: join(folder, "pnpm"),
    YARN_GLOBAL_FOLDER: join(folder, "yarn"),
    YARN_ENABLE_TELEMETRY: "0",
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_UNSAFE_HTTP_WHITELIST: new URL(registry).hostname,
    CDK8S_CHECK_UPGRADE: "false",
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: "user.name",
    GIT_CONFIG_VALUE_0: "somebody",
    GIT_CONFIG_KEY_1: "user.email",
    GIT_CONFIG_VALUE_1: "somebody@example.com",
  };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(managers)("with $name", ({ name, ci }) => {
  const { install, run } = commandsOf(name);
  const repository = () => join(folder, name);
  const ours = (step: string) => step.replaceAll("npx cdk8s-cluster-dns", run.replace(" synth", ""));

  it("a first commit needs only the page's commands", () => {
    mkdirSync(repository());
    cpSync(join(folder, tarball), join(repository(), tarball));
    writeFileSync(join(repository(), "package.json"), '{ "private": true }\n');
    for (const file of [".gitignore", ".github/workflows/dns.yaml"]) write(repository(), file);
    expect(install).toContain(` ./${tarball} `);
    shell(repository(), install);
    shell(repository(), run.replace("synth", "init prod"));
    expect(shell(repository(), run)).toMatch(/dist: 1 cluster; files: \d+ new/);

    shell(repository(), "git init --quiet --initial-branch main && git add . && git commit --quiet -m first");
    const committed = shell(repository(), "git ls-files").split("\n");
    expect(committed).toEqual(expect.arrayContaining(["clusters/prod.yaml", "dist/prod/kustomization.yaml"]));
    expect(committed.filter((path) => path.includes("node_modules") || path.includes(".pnp"))).toEqual([]);
  });

  it("an editor finds the schema, also after an upgrade", () => {
    const file = join(repository(), "clusters/prod.yaml");
    const schema = /^# yaml-language-server: \$schema=(\S+)\n/.exec(readFileSync(file, "utf8"))?.[1] ?? "";
    expect(schema).toBe(name === "Yarn" ? "schema.json" : "../node_modules/cdk8s-cluster-dns/clusters/schema.json");
    const path = join(dirname(file), schema);
    const contents = readFileSync(path, "utf8");
    expect(JSON.parse(contents)).toMatchObject({ properties: { clusterDNS: {} } });
    if (name !== "Yarn") return;
    writeFileSync(path, "{}\n");
    shell(repository(), /^yarn node -e .*$/m.exec(page)?.[0] ?? "false");
    expect(readFileSync(path, "utf8")).toBe(contents);
  });

  it("CI refuses a stale dist/, and shows what a pull request changes", () => {
    const pullRequest = join(folder, `${name}-pull-request`);
    shell(folder, `git clone --quiet "${repository()}" "${pullRequest}"`);
    shell(pullRequest, "git switch --quiet -c change");
    const file = join(pullRequest, "clusters/prod.yaml");
    writeFileSync(file, `${readFileSync(file, "utf8")}\nauthoritativeDNS: { replicas: 3 }\n`);
    const [installs = "", check = "", ...others] = workflowSteps().map(ours);
    shell(pullRequest, installs.replace("npm ci", ci));
    const stale = spawnSync("bash", ["-ec", check], { cwd: pullRequest, env: environment, encoding: "utf8" });
    expect(stale.status).toBe(1);
    expect(`${stale.stdout}${stale.stderr}`).toContain("dist/prod/authoritative-dns/deployment-coredns.yaml: is stale");

    shell(pullRequest, run);
    for (const step of [check, ...others]) shell(pullRequest, step);
    expect(readFileSync(join(pullRequest, "summary.md"), "utf8")).toContain("spec.replicas: 3");
    expect(shell(pullRequest, "git diff --name-only").trim().split("\n")).toEqual([
      "clusters/prod.yaml",
      "dist/prod/authoritative-dns/deployment-coredns.yaml",
      "dist/prod/cluster-dns.record",
    ]);
  });

  it("CI shows the pull request that brings dist/", () => {
    const pullRequest = join(folder, `${name}-pull-request`);
    shell(repository(), "git branch empty $(git commit-tree -m empty $(git ls-tree HEAD package.json | git mktree))");
    shell(pullRequest, "rm -r before summary.md");
    for (const step of workflowSteps().slice(2)) shell(pullRequest, `GITHUB_BASE_REF=empty\n${ours(step)}`);
    expect(readFileSync(join(pullRequest, "summary.md"), "utf8")).toContain("new Deployment kube-system/coredns");
  });
});

describe("an app of one's own", () => {
  const repository = () => join(folder, "npm");

  it("is rendered by cdk8s", () => {
    for (const file of ["main.ts", "tsconfig.json", "cdk8s.yaml"]) write(repository(), file);
    shell(repository(), /^npm install --save-dev cdk8s-cli .*\n.*$/m.exec(page)?.[0] ?? "false");
    expect(readFileSync(join(repository(), "rendered/platform.k8s.yaml"), "utf8")).toContain("name: kube-dns");
    expect(existsSync(join(repository(), "dist/prod"))).toBe(true);
  });

  it("compiles with the oldest TypeScript that the page names", () => {
    const least = /TypeScript (\d+\.\d+) or newer/.exec(page)?.[1] ?? "";
    shell(repository(), `npm install --save-dev typescript@${least} @types/node@20`);
    expect(shell(repository(), "npx tsc --version")).toContain(`Version ${least}.`);
    cpSync(join(root, "examples/typescript/main.ts"), join(repository(), "main.ts"));
    shell(repository(), "npx tsc");
  });
});

/** The page's row for a package manager. */
function commandsOf(name: string): { readonly install: string; readonly run: string } {
  const row = new RegExp(`^\\| ${name} +\\| \`([^\`]+)\` +\\| \`([^\`]+)\``, "m").exec(page);
  return { install: row?.[1] ?? "", run: row?.[2] ?? "" };
}

/** Writes the block of the page whose first line names a file. */
function write(repository: string, file: string): void {
  const [, text] = new RegExp(`\`\`\`\\w+\\n(?:#|//) ${file.replaceAll(".", "\\.")}\\n([^]*?)\`\`\``).exec(page) ?? [];
  if (text === undefined) throw new Error(`the page has no block for ${file}`);
  mkdirSync(dirname(join(repository, file)), { recursive: true });
  writeFileSync(join(repository, file), text);
}

function workflowSteps(): string[] {
  const [, text = ""] = /# \.github\/workflows\/dns\.yaml\n([^]*?)```/.exec(page) ?? [];
  const { jobs } = parse(text) as { jobs: { dns: { steps: { run?: string }[] } } };
  return jobs.dns.steps.flatMap(({ run = [] }) => run);
}

/** Runs a command as a CI step does, and returns what it prints. */
function shell(cwd: string, command: string): string {
  const env = { ...environment, GITHUB_BASE_REF: "main", GITHUB_STEP_SUMMARY: join(cwd, "summary.md") };
  const { status, stdout, stderr } = spawnSync("bash", ["-ec", command], { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} in ${cwd}: exit code ${String(status)}\n${stdout}${stderr}`);
  return stdout;
}
