import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release } from "node:os";
import { join } from "node:path";
import { failoverCases, type FailoverResult } from "../../rig/kernel/failover-cases";
import { footprint, type Footprint } from "../../rig/kernel/footprint";
import { missingForKernelTests, stop } from "../../rig/kernel/namespace";
import { onNode, type Setting } from "../../rig/kernel/scenario";
import { markerText } from "../../rig/figures/marker";
import { reportFigure } from "../../rig/figures/report.mjs";
import { reportLosses } from "../../rig/load/tell";
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
  "watchdog SIGKILLed, then the cache SIGSTOPped",
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
  const marker = markerText("npm run bench:failover", ["src/agent/watchdog", "src/model/packet-rules"]);
  print(`${marker}\n`);
  const model = cpus()[0]?.model ?? "unknown processor";
  print(
    `${cpus().length} cores (${model.trim()}), Linux ${release()}, Node ${process.version}, load average ${loadavg()[0]?.toFixed(1)} at the start.\n`,
  );
  print(
    "| failure | asked from | interception | sent | lost | window, ms | by the cache | by the cluster DNS | open TCP connection |\n|---|---|---|---|---|---|---|---|---|",
  );
  const panels: Panel[] = [];
  for (const { name, who, packetFilter, run } of failoverCases) {
    for (const [interception, setting] of settings) {
      if (packetFilter !== undefined && setting.packetFilter === "iptables") continue;
      const result = await run(setting);
      print(row(name, who, interception, result));
      reportLosses(`${name}, asked from the ${who}, ${interception}`, result.load);
      if (interception === "service-ip" && who === "pod" && drawn.includes(name))
        panels.push({ title: name, ...result });
    }
  }
  writeFileSync(join(repositoryRoot, "docs/failover.svg"), plot(panels));
  print(`\n${marker}\n`);
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
  { load: { sent, lost, windowMs }, tcp, byCache, byCluster }: FailoverResult,
): string {
  const { broken, longestMs } = tcp;
  const connection = `${broken.length === 0 ? "stays" : `broken ${broken.length} x`}, ${longestMs} ms`;
  return `| ${name} | ${who} | ${interception} | ${sent} | ${lost} | ${windowMs} | ${byCache} | ${byCluster} | ${connection} |`;
}

async function printFootprints(): Promise<void> {
  const seconds = 60;
  const bare = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await sleep(5000);
  const idle = await footprint(bare.pid ?? 0, 20);
  await stop(bare, "SIGKILL");
  const [watchdog, asked] = await onNode({}, async (s) => {
    const pid = s.watchdog.process.pid ?? 0;
    await sleep(5000);
    const unasked = await footprint(pid, seconds);
    let loaded = unasked;
    await s.network.load({ server: s.server, seconds: seconds + 2 }, async () => {
      loaded = await footprint(pid, seconds);
    });
    return [unasked, loaded];
  });
  const told = (name: string, { memory: { resident, proportional, dirty }, cpu }: Footprint) =>
    print(
      `| ${name} | ${resident.toFixed(0)} | ${proportional.toFixed(0)} | ${dirty.toFixed(0)} | ${cpu.toFixed(2)} |`,
    );
  print(
    "| process, with children | resident, MiB | its share, MiB | dirty, MiB | of a core, % |\n|---|---|---|---|---|",
  );
  told("bare Node with a timer", idle);
  reportFigure({
    what: "memory of the watchdog",
    kind: "ratio",
    value: watchdog.memory.resident / idle.memory.resident,
    unit: "x a bare Node with a timer",
  });
  told("watchdog, four listeners", watchdog);
  told("the same, 500 queries a second", asked);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
