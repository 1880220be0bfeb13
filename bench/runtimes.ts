// `npm run bench:runtimes`: the watchdog in each runtime of JavaScript that is on the PATH. Needs root; uses its own namespaces.
import { execFileSync, spawnSync } from "node:child_process";
import { agentProgram, node, startWatchdog } from "../rig/kernel/agent";
import { footprint } from "../rig/kernel/footprint";
import { ready } from "../rig/kernel/metrics";
import { missingForKernelTests, stop } from "../rig/kernel/namespace";
import { onNode } from "../rig/kernel/scenario";
import { sleep } from "../rig/until";

const candidates: readonly (readonly string[])[] = [
  node,
  ["bun"],
  ["deno", "run", "--allow-all", "--unstable-detect-cjs"],
];
const rounds = 9;

async function main(): Promise<void> {
  const missing = missingForKernelTests();
  if (missing !== undefined) throw new Error(`bench:runtimes needs ${missing}, and root`);
  const runtimes = candidates.flatMap(([program = "", ...flags]) => {
    const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
    if (status !== 0) console.log(`${program} is not on the PATH.`);
    const path = status === 0 ? execFileSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim() : "";
    return status === 0
      ? [{ name: `${program.split("/").at(-1)} ${/[\d.]+/.exec(stdout)?.[0]}`, command: [path, ...flags] }]
      : [];
  });
  console.log(
    "\n| runtime | starts in, ms | resident, MiB | its share, MiB | dirty, MiB | of a core, % | 2,000 queries, hang after 1 s: lost |\n|---|---|---|---|---|---|---|",
  );
  for (const { name, command } of runtimes) {
    const start = startOf(command);
    await onNode({ kubeProxyMode: "nftables", watchdog: false }, async (s) => {
      const config = { ...s.config, watchdog: true };
      const watchdog = startWatchdog(s.network, config, {}, command);
      await ready(s.network);
      await sleep(10_000);
      const { memory, cpu } = await footprint(watchdog.process.pid ?? 0, 60);
      const load = await s.network.load({ server: s.server, seconds: 4 }, async () => {
        await sleep(1000);
        s.cache.kill("SIGSTOP");
      });
      console.log(
        `| ${name} | ${start.toFixed(0)} | ${memory.resident.toFixed(0)} | ${memory.proportional.toFixed(0)} | ${memory.dirty.toFixed(0)} | ${cpu.toFixed(2)} | ${load.lost} of ${load.sent} |`,
      );
      await stop(watchdog.process);
    });
  }
}

/** Until the watchdog has found that it has no configuration, in the median. */
function startOf([program = "", ...flags]: readonly string[]): number {
  const times = Array.from({ length: rounds + 1 }, () => {
    const from = performance.now();
    spawnSync(program, [...flags, agentProgram(), "watchdog", "--config", "/nonexistent"]);
    return performance.now() - from;
  });
  return times.slice(1).toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
