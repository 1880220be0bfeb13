// `npm run test:killed [-- KILLS CLUSTERS]`: kills syntheses of many clusters at random moments, and checks that each
// leaves only whole files and that one more run then produces what a clean one does, byte for byte.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../lib/cli/main.js", import.meta.url));
const [kills = 60, clusters = 500] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "killed-"));
const dist = join(folder, "dist");
// From the first to the second, files are new, changed and stale.
const descriptions = ["agentImage: registry.example/agent:1\n", "authoritativeDNS: {autoscaler: {}}\n"];

try {
  mkdirSync(join(folder, "clusters"));
  let duration = 0;
  const clean = descriptions.map((options) => {
    describe(options);
    const start = Date.now();
    synth("--out", "clean");
    duration = Date.now() - start;
    return filesIn(join(folder, "clean"));
  });
  const counts = { killed: 0, whileWriting: 0 };
  for (let kill = 0; kill < kills; kill++) {
    // The first half starts from an empty folder each time; the second half alternates between the descriptions.
    const fills = kill < kills / 2;
    if (fills && kill % 10 === 0) rmSync(dist, { recursive: true, force: true });
    describe(descriptions[fills ? 0 : kill % 2]);
    const before = leftovers().join();
    if (await killAtRandom(duration, kill % 2 === 0)) counts.killed++;
    if (leftovers().length > 0 && leftovers().join() !== before) counts.whileWriting++;
    for (const [path, text] of filesIn(dist)) {
      const isWhole = path.startsWith(".") || clean.some((files) => files.get(path) === text) || isRecord(path, text);
      if (!isWhole) throw new Error(`${path} is not whole`);
    }
  }
  console.log(
    `${kills} syntheses of ${clusters} clusters: ${counts.killed} killed, ${counts.whileWriting} while they wrote`,
  );
  describe(descriptions[1]);
  console.log(`then one more run: ${synth()}`);
  const healed = filesIn(dist);
  const same = healed.size === clean[1].size && [...healed].every(([path, text]) => clean[1].get(path) === text);
  if (!same || leftovers().length > 0) throw new Error(`not what a clean synthesis makes; left over: ${leftovers()}`);
  console.log(`${healed.size} files, byte for byte those of a clean synthesis, and nothing left over`);
} finally {
  rmSync(folder, { recursive: true });
}

/** While files move, a record lists those of both descriptions. */
function isRecord(path, text) {
  return path.endsWith("/cluster-dns.record") && JSON.parse(text).files.length > 0;
}

function describe(options) {
  const text = `clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n${options}`;
  for (let i = 0; i < clusters; i++) writeFileSync(join(folder, `clusters/c${i}.yaml`), text);
}

/** The last line of its output. */
function synth(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, "synth", ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim().split("\n").at(-1);
}

/** Kills at any time, or only while it writes. Returns whether it was still running. */
async function killAtRandom(duration, whileWriting) {
  const child = spawn(process.execPath, [cli, "synth"], { cwd: folder, stdio: "ignore" });
  const ended = once(child, "exit");
  const before = leftovers().join();
  while (whileWriting && leftovers().join() === before && child.exitCode === null) await setTimeout(1);
  await Promise.race([ended, setTimeout(Math.random() * (whileWriting ? duration / 3 : duration))]);
  child.kill("SIGKILL");
  const [, signal] = await ended;
  return signal === "SIGKILL";
}

/** What a killed synthesis leaves beside the clusters. */
function leftovers() {
  return existsSync(dist) ? readdirSync(dist).filter((name) => name.startsWith(".")) : [];
}

function filesIn(path) {
  if (!existsSync(path)) return new Map();
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((file) => [file.slice(path.length + 1), readFileSync(file, "utf8")]),
  );
}
