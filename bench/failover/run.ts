import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release } from "node:os";
import { join } from "node:path";
import { failoverCases, type FailoverResult } from "../../rig/kernel/failover-cases";
import { footprint } from "../../rig/kernel/footprint";
import { missingForKernelTests, stop } from "../../rig/kernel/namespace";
import { onNode, type Setting } from "../../rig/kernel/scenario";
import { repositoryRoot } from "../../rig/repository";
import { sleep } from "../../rig/until";
import { plot, type Panel } from "./plot";

const settings: readonly (readonly [name: string, setting: Setting])[] = [
  ["service-ip", {}],
  ["link-local", { interception: "link-local", kubeProxyMode: "nftables" }],
  ["service-ip, iptables rules", { packetFilter: "iptables" }],
];

const drawn = [
  "cache SIGKILLed and started again",
  "cache goes on after SIGSTOP",
  "cache answers SERVFAIL to everything",
  "second cache on the same port, first one stopped",
];

const printed: string[] = [];

function print(text: string): void {
  console.log(text);
  printed.push(text);
}

async function main(): Promise<void> {
  const missing = missingForKernelTests();
  if (missing !== undefined)
    throw new Error(`bench: ${missing} is missing; run as root on a machine with iproute2, nftables and iptables`);
  const model = cpus()[0]?.model ?? "unknown processor";
  print(
    `${cpus().length} cores (${model.trim()}), Linux ${release()}, Node ${process.version}, load average ${loadavg()[0]?.toFixed(1)} at the start.\n`,
  );
  print(
    "| failure | asked from | interception | sent | lost | window, ms | by the cache | by the cluster DNS |\n|---|---|---|---|---|---|---|---|",
  );
  const panels: Panel[] = [];
  for (const { name, who, packetFilter, run } of failoverCases) {
    for (const [interception, setting] of settings) {
      if (packetFilter !== undefined && setting.packetFilter === "iptables") continue;
      const result = await run(setting);
      print(row(name, who, interception, result));
      if (interception === "service-ip" && who === "pod" && drawn.includes(name))
        panels.push({ title: name, ...result });
    }
  }
  writeFileSync(join(repositoryRoot, "docs/failover.svg"), plot(panels));
  await printFootprints();
  writeIntoPage();
}

/** The page holds the figures of the last run between two marks. */
function writeIntoPage(): void {
  const page = join(repositoryRoot, "docs/failover.md");
  const [before = "", rest = ""] = readFileSync(page, "utf8").split("<!-- figures -->\n");
  const after = rest.split("<!-- end of figures -->")[1] ?? "";
  writeFileSync(page, `${before}<!-- figures -->\n\n${printed.join("\n")}\n\n<!-- end of figures -->${after}`);
}

function row(
  name: string,
  who: string,
  interception: string,
  { load: { sent, lost, windowMs }, byCache, byCluster }: FailoverResult,
): string {
  return `| ${name} | ${who} | ${interception} | ${sent} | ${lost} | ${windowMs} | ${byCache} | ${byCluster} |`;
}

async function printFootprints(): Promise<void> {
  const seconds = 60;
  const bare = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await sleep(5000);
  const idle = await footprint(bare.pid ?? 0, 20);
  await stop(bare, "SIGKILL");
  const watchdog = await onNode({}, async (s) => {
    await sleep(5000);
    return footprint(s.watchdog.process.pid ?? 0, seconds);
  });
  print("\n| process | memory with children, MiB | of a core, % |\n|---|---|---|");
  print(`| bare Node with a timer | ${idle.memory.toFixed(0)} | ${idle.cpu.toFixed(2)} |`);
  print(`| watchdog, four listeners | ${watchdog.memory.toFixed(0)} | ${watchdog.cpu.toFixed(2)} |`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
