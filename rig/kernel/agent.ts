import { execFileSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentConfig } from "../../src/model/agent-config/agent-config";
import { thresholdsOf, type Thresholds } from "../../src/model/agent-config/thresholds";
import { defaults } from "../../src/model/defaults";
import { repositoryRoot } from "../repository";
import { addresses, type Family, type Network } from "./network";

/** Overrides of the usual configuration. */
export type ConfigChange = Partial<Omit<AgentConfig, "thresholds">> & { readonly thresholds?: Partial<Thresholds> };

/** A configuration as the constructs write it, with this rig's addresses. */
export function agentConfig(families: readonly Family[], { thresholds, ...overrides }: ConfigChange = {}): AgentConfig {
  return {
    version: 1,
    state: "enabled",
    watchdog: true,
    interception: "service-ip",
    kubeProxyMode: "iptables",
    packetFilter: "nftables",
    serviceIPs: families.map((family) => addresses[family].service),
    linkLocalIPs: families.map((family) => addresses[family].linkLocal),
    markBit: 0x1000,
    linkName: "nodelocaldns",
    clusterDNSService: { namespace: "kube-system", name: "kube-dns", udpPort: "dns", tcpPort: "dns-tcp" },
    healthZone: "health.node-local-dns.internal",
    clusterZone: {
      name: "kubernetes.default.svc.cluster.local",
      servers: clusterServers(families, overrides),
    },
    metrics: { port: 9254, address: "127.0.0.1" },
    healthPort: 19254,
    thresholds: { ...thresholdsOf(defaults.watchdogThresholds), ...thresholds },
    ...overrides,
  };
}

/** Where the cache and the watchdog reach the cluster DNS with a configuration. */
export function clusterServers(
  families: readonly Family[],
  { interception, packetFilter }: Pick<ConfigChange, "interception" | "packetFilter">,
): string[] {
  const atTheService = interception === "link-local" || packetFilter === "iptables";
  return families.map((family) => addresses[family][atTheService ? "service" : "pastCache"]);
}

/** The addresses that the cache binds with a configuration. */
export function listenAddresses(config: AgentConfig): string[] {
  return config.interception === "service-ip"
    ? [...config.linkLocalIPs, ...config.serviceIPs]
    : [...config.linkLocalIPs];
}

/** Runs one of the agent's programs on the node until it exits; returns its log. */
export function runAgent(
  network: Network,
  program: string,
  config: AgentConfig,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): string {
  const command = [agentProgram(), program, "--config", writeConfig(network, config), ...args];
  return network.node.run(process.execPath, command, undefined, env);
}

/** As in the image, whose entrypoint has the same flag. */
export const node: readonly string[] = [process.execPath, "--max-semi-space-size=1"];

/** Starts the watchdog; returns it and its log. @param runtime The command that runs JavaScript. */
export function startWatchdog(network: Network, config: AgentConfig, env: NodeJS.ProcessEnv = {}, runtime = node) {
  return startAgent(network, "watchdog", config, env, runtime);
}

/** Starts one of the agent's programs on the node; returns it and its log. */
export function startAgent(
  network: Network,
  program: string,
  config: AgentConfig,
  env: NodeJS.ProcessEnv = {},
  runtime = node,
): { readonly process: ChildProcess; readonly log: () => LogLine[] } {
  const child = network.node.start(
    [...runtime, agentProgram(), program, "--config", writeConfig(network, config)],
    env,
  );
  let out = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  return {
    process: child,
    log: () =>
      out
        .split("\n")
        .slice(0, -1) // whole lines
        .filter((line) => line !== "")
        .map((line) => (line.startsWith("{") ? (JSON.parse(line) as LogLine) : { msg: line, time: "", level: 60 })),
  };
}

export interface LogLine {
  readonly level: number;
  readonly time: string;
  readonly msg: string;
  readonly [key: string]: unknown;
}

/** The bundle, built once per process, or by the fast suite's setup for all of them. */
export function agentProgram(): string {
  if (program === undefined) {
    const folder = mkdtempSync(join(tmpdir(), "cdns-agent-"));
    program = join(folder, "agent.js");
    execFileSync(process.execPath, ["scripts/build-agent.mjs", program], { cwd: repositoryRoot });
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  }
  return program;
}

let program = process.env["CLUSTER_DNS_AGENT"];

function writeConfig(network: Network, config: AgentConfig): string {
  const file = join(network.folder, `agent-${Math.random().toString(36).slice(2)}.json`);
  writeFileSync(file, JSON.stringify(config));
  return file;
}
