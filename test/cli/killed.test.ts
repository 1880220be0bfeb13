import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Scratch } from "./scratch";

// For more of it: KILLS=200 KILLED_CLUSTERS=500 npx vitest run test/cli/killed.test.ts
const kills = Number(process.env["KILLS"] ?? 8);
const clusters = Number(process.env["KILLED_CLUSTERS"] ?? 10);
const timeout = 60_000 + kills * clusters * 100;

/** Two descriptions: from one to the other, files are new, changed and stale. */
const descriptions = [
  "agentImage: registry.example/agent:1\n",
  "clusterDomain: other.example\nauthoritativeDNS: {autoscaler: {}}\n",
] as const;

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => scratch.remove());

function describeClusters(options: string): void {
  for (let i = 0; i < clusters; i++)
    scratch.write(`clusters/c${i}.yaml`, `clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n${options}`);
}

/** Files by their paths. */
type Files = { readonly [path: string]: string };

function filesIn(folder: string): Files {
  const path = join(scratch.folder, folder);
  if (!existsSync(path)) return {};
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(path.length + 1)).sort();
  return Object.fromEntries(paths.map((file) => [file, scratch.read(join(folder, file))]));
}

/** What a synthesis that was killed leaves in its output folder beside the clusters. */
function leftovers(): string[] {
  return existsSync(join(scratch.folder, "dist"))
    ? readdirSync(join(scratch.folder, "dist")).filter((name) => name.startsWith("."))
    : [];
}

function start(): ChildProcess {
  return spawn(process.execPath, [scratch.cli, "synth"], { cwd: scratch.folder });
}

it(
  `a synthesis that is killed leaves whole files, and the next heals all (${kills} times, ${clusters} clusters)`,
  { timeout },
  async () => {
    const clean: Files[] = [];
    let duration = 0;
    for (const options of descriptions) {
      describeClusters(options);
      const began = Date.now();
      expect(scratch.run("synth", "--out", "clean").exitCode).toBe(0);
      duration = Date.now() - began;
      clean.push(filesIn("clean"));
    }
    let whileWriting = 0;
    for (let kill = 0; kill < kills; kill++) {
      // Of eight, four fill an empty folder, then four change it.
      const which = kill % 8 < 4 ? 0 : 1;
      if (kill % 8 === 0) rmSync(join(scratch.folder, "dist"), { recursive: true, force: true });
      describeClusters(descriptions[which]);
      await killAtRandom(duration, kill % 2 === 0);
      if (leftovers().length > 0) whileWriting++;
      for (const [path, text] of Object.entries(filesIn("dist")))
        if (!path.startsWith(".")) expect(clean.map((files) => files[path])).toContain(text);

      if (kill % 4 < 3) continue;
      expect(scratch.run("synth")).toMatchObject({ exitCode: 0, stderr: "" });
      expect(filesIn("dist")).toEqual(clean[which]);
      expect(leftovers()).toEqual([]);
    }
    console.log(`${whileWriting} of ${kills} were killed while they wrote`);
    expect(whileWriting).toBeGreaterThan(0);
  },
);

/** At any time, or soon after it began to write. */
async function killAtRandom(duration: number, whileWriting: boolean): Promise<void> {
  const child = start();
  const ended = once(child, "exit");
  while (whileWriting && leftovers().length === 0 && child.exitCode === null) await setTimeout(1);
  await Promise.race([ended, setTimeout(Math.random() * (whileWriting ? duration / 4 : duration))]);
  child.kill("SIGKILL");
  await ended;
}

it("syntheses at the same time wait for each other, and the last one finds nothing to do", { timeout }, async () => {
  for (const options of descriptions) {
    describeClusters(options);
    const runs = await Promise.all(
      [start(), start(), start()].map(async (child) => {
        const output: string[] = [];
        for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => output.push(String(text)));
        const [exitCode] = (await once(child, "close")) as [number | null];
        return { exitCode, lines: output.join("").split("\n") };
      }),
    );
    for (const { exitCode, lines } of runs) {
      expect({ exitCode, lines }).toMatchObject({ exitCode: 0 });
      expect(lines.at(-2)).toMatch(new RegExp(`^dist: ${clusters} clusters; files: `));
    }
    expect(leftovers()).toEqual([]);
    expect(scratch.run("synth").stdout).toContain("files: 0 new, 0 changed, 0 deleted, ");
  }
});
