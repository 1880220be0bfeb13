import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../../../rig/repository";
import { withKubectl } from "../documented-commands";

/** In one line. */
export function print(what: string, figures: object): void {
  const rounded = (_: string, value: unknown) => (typeof value === "number" ? Math.round(value * 100) / 100 : value);
  console.log(`${what}: ${JSON.stringify(figures, rounded)}`);
}

export async function sixteenAtATime(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

/** What a process spent. */
export interface Spent {
  /** MiB. */
  readonly resident: number;
  readonly peak: number;
  readonly cpuSeconds: number;
}

/** What it spends meanwhile: its peak so far is forgotten. */
export async function spentDuring(pid: number, work: () => Promise<unknown>): Promise<Spent> {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = cpuSeconds(pid);
  await work();
  return spentBy(pid, before);
}

export function spentBy(pid: number, before = 0): Spent {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mebi = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return { resident: mebi("VmRSS"), peak: mebi("VmHWM"), cpuSeconds: cpuSeconds(pid) - before };
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export function buildCli(): void {
  execFileSync(process.execPath, [join(repositoryRoot, "scripts/build.mjs"), "--if-needed"]);
}

/** What the command line as shipped does and spends in a folder. `peak`: MB. */
export async function runCli(folder: string, kubeconfig: string, args: readonly string[]) {
  const measured = ["--require", join(repositoryRoot, "bench/measure.cjs"), join(repositoryRoot, "lib/cli/main.js")];
  const child = spawn(process.execPath, [...measured, ...args], {
    cwd: folder,
    env: { ...process.env, ...withKubectl(kubeconfig) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [printed, errors] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const status = await new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? -1)));
  const measure = errors.trim().split("\n").at(-1) ?? "";
  if (!measure.startsWith("{")) throw new Error(errors);
  const { cpu, peak } = JSON.parse(measure) as { cpu: number; peak: number };
  return { status, printed: printed + errors, cpuSeconds: cpu / 1000, peak };
}
