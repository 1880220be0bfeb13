import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../repository";
import { type Run, Scratch } from "./scratch";

/** From the first description to the second, files are new, changed and stale. */
const [first, second] = ["agentImage: registry.example/agent:1\n", "authoritativeDNS: {autoscaler: {}}\n"];

const scratch = Scratch.forEach();

function describeCluster(name: string, options: string): void {
  scratch.write(`clusters/${name}.yaml`, `clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n${options}`);
}

/**
 * A synthesis killed at the Nth change to the file system, counted from 1; if it survives, standard error ends with the
 * number of changes.
 */
function synthKilledAt(change: number): Run {
  const hook = `--require ${join(root, "test/cli/killed.cjs")}`;
  return scratch.runBundleWith({ NODE_OPTIONS: hook, KILL_AT: String(change) }, "synth");
}

function filesIn(folder: string): { readonly [path: string]: string } {
  const path = join(scratch.folder, folder);
  if (!existsSync(path)) return {};
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(path.length + 1)).sort();
  return Object.fromEntries(paths.map((file) => [file, scratch.read(join(folder, file))]));
}

const record = "prod/cluster-dns.record";

/** What the record says is ours, and the record itself. */
function filesListed(): string[] {
  const { files } = JSON.parse(scratch.read(`dist/${record}`)) as { readonly files: readonly string[] };
  return [record, ...files.map((path) => `prod/${path}`)];
}

it.each([
  ["the first one", [first]],
  ["one that changes, adds and deletes", [first, second]],
])(
  "a killed synthesis leaves whole files, and the next one finishes its work: %s",
  { timeout: 120_000 },
  (_, descriptions) => {
    const clean = descriptions.map((options, i) => {
      describeCluster("prod", options);
      expect(scratch.run("synth", "--out", `clean-${i}`).exitCode).toBe(0);
      return filesIn(`clean-${i}`);
    });
    const [dist, before] = ["dist", "clean-0"].map((name) => join(scratch.folder, name)) as [string, string];
    // As the synthesis before the killed one left it.
    const prepare = () => {
      rmSync(dist, { recursive: true, force: true });
      if (descriptions.length > 1) cpSync(before, dist, { recursive: true });
    };
    prepare();
    const changes = Number(synthKilledAt(Infinity).stderr);
    expect(changes).toBeGreaterThan(20);
    // `npm run test:killed` has 200.
    const moments = 3;
    for (let i = 0; i < moments; i++) {
      prepare();
      expect(synthKilledAt(Math.ceil(1 + (i * (changes - 1)) / (moments - 1)))).toMatchObject({ exitCode: null });
      const left = Object.entries(filesIn("dist")).filter(([path]) => !path.startsWith("."));
      for (const [path, text] of left) if (path !== record) expect(clean.map((files) => files[path])).toContain(text);
      if (left.length > 0) expect(filesListed()).toEqual(expect.arrayContaining(left.map(([path]) => path)));

      expect(scratch.run("synth")).toMatchObject({ exitCode: 0, stderr: "" });
      expect(filesIn("dist")).toEqual(clean.at(-1));
      expect(readdirSync(dist)).toEqual(["prod"]);
    }
  },
);

it("concurrent syntheses wait for each other, and leave nothing to do", async () => {
  for (const options of [first, second]) {
    for (let i = 0; i < 4; i++) describeCluster(`c${i}`, options);
    const runs = await Promise.all(Array.from({ length: 3 }, () => synthInBackground()));
    for (const { exitCode, lines } of runs) {
      expect({ exitCode, lines }).toMatchObject({ exitCode: 0 });
      expect(lines.at(-2)).toMatch(/^dist: 4 clusters; files: /);
    }
    expect(readdirSync(join(scratch.folder, "dist")).filter((name) => name.startsWith("."))).toEqual([]);
    expect(scratch.run("synth").stdout).toContain("files: 0 new, 0 changed, 0 deleted, ");
  }
});

async function synthInBackground(): Promise<{ exitCode: number | null; lines: string[] }> {
  const child = spawn(process.execPath, [scratch.cli, "synth"], { cwd: scratch.folder });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => output.push(String(text)));
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { exitCode, lines: output.join("").split("\n") };
}
