import { coreDnsMetricsPort } from "../../src/model/corefile/authoritative";
import { cacheMetricsPort } from "../../src/model/corefile/node-local-dns";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plugin, type Argument, type Corefile, type Directive } from "../../src/model/corefile/corefile";
import { configFolder } from "../../src/model/corefile/forward";
import { renderCorefile } from "../../src/model/corefile/render";
import { freePort } from "../free-port";
import { tool } from "../tools";
import { until } from "../until";
import { ask } from "./ask";
import { LimitedMemory } from "./limited-memory";

/** CoreDNS as it is deployed; the end-to-end rig builds it. */
export const corednsBinary = process.env["COREDNS"] ?? tool("coredns", "coredns");

export const whyNoCoreDNS = existsSync(corednsBinary)
  ? undefined
  : `no CoreDNS at ${corednsBinary}: the end-to-end tests build it`;

export interface Running {
  readonly port: number;
  readonly pid: number;
  /** How it ended by itself, and what it said last; undefined while it runs. */
  ended(): string | undefined;
  /** Queries that it counted until now, in the blocks that have metrics. */
  requests(): Promise<number>;
  /** Of a counter, over all its series. Zero if it has none. */
  count(metric: string): Promise<number>;
  /** What it said last. */
  said(): string;
  /** Resident memory in bytes. */
  memory(): number;
  stop(): Promise<void>;
}

export interface RunOptions {
  /** The API server for its `kubernetes` plugins. */
  readonly api: string;
  /** Files for the API server, if it is reached over TLS: certificate, key, authority. */
  readonly tls?: readonly [string, string, string];
  /** Addresses for server blocks without `bind`. */
  readonly bind?: string;
  /** Files beside the Corefile. */
  readonly files?: { readonly [name: string]: string };
  readonly startSeconds?: number;
  /** The memory limit of its container, as a quantity; GOMEMLIMIT is derived from it as in a cluster. */
  readonly memoryLimit?: string;
}

/**
 * Runs a rendered Corefile, with only its ports moved to free ones of the loopback interface and its API server set, so
 * that tests see what would be deployed.
 */
export async function runCoreDNS(
  corefile: Corefile,
  { api, tls, bind = "127.0.0.1", files = {}, startSeconds = 30, memoryLimit }: RunOptions,
): Promise<Running> {
  const ports = new Map<number, number>();
  const wanted = [...new Set(corefile.flatMap(({ keys }) => keys.map(({ port }) => port))), 8080, 8181, 9153];
  for (const port of wanted) ports.set(port, await freePort());
  const folder = mkdtempSync(join(tmpdir(), "cluster-dns-coredns-"));
  const moved = corefile.map((block) => ({
    ...block,
    keys: block.keys.map((key) => ({ ...key, port: ports.get(key.port) ?? key.port })),
    plugins: [
      ...(block.plugins.some(({ name }) => name === "bind") ? [] : [plugin("bind", [bind])]),
      ...block.plugins.map((directive) => move(directive, ports, { api, tls }, folder)),
    ],
  }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const file = join(folder, "Corefile");
  writeFileSync(file, renderCorefile(moved));
  const argv = [corednsBinary, "-conf", file];
  const container = memoryLimit === undefined ? undefined : new LimitedMemory(memoryLimit);
  const [command = "", ...args] = container?.inside(argv) ?? argv;
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...container?.environment },
  });
  let said = "";
  const keep = (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-20_000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
    await container?.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  const saysReady = corefile.some((block) => block.plugins.some(({ name }) => name === "ready"));
  const isUp = async () => (!saysReady || (await isReady(ports.get(8181) ?? 0))) && answers(bind, ports.get(53) ?? 0);
  try {
    await until(
      "CoreDNS",
      startSeconds,
      async () => child.exitCode !== null || isUp(),
      50,
      () => said,
    );
    if (child.exitCode !== null) throw new Error(`CoreDNS ended: ${said}`);
  } catch (error) {
    await stop();
    throw error;
  }
  const metricsPort = ports.get(coreDnsMetricsPort) ?? ports.get(cacheMetricsPort) ?? 0;
  const count = (metric: string) => countOf(metricsPort, metric);
  return {
    port: ports.get(53) ?? 0,
    pid: child.pid ?? 0,
    ended: () =>
      child.exitCode === null && child.signalCode === null
        ? undefined
        : `${child.signalCode ?? `exit code ${child.exitCode}`}: ${said.slice(-2000)}`,
    requests: () => count("coredns_dns_requests_total"),
    count,
    said: () => said,
    memory: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) * 1024,
    stop,
  };
}

function move(
  directive: Directive,
  ports: ReadonlyMap<number, number>,
  { api, tls }: { readonly api: string; readonly tls: RunOptions["tls"] | undefined },
  folder: string,
): Directive {
  switch (directive.name) {
    case "kubernetes":
      return plugin("kubernetes", directive.args, [
        ...directive.options,
        plugin("endpoint", [api]),
        ...(tls ? [plugin("tls", tls)] : []),
      ]);
    case "health":
      return plugin("health", [`127.0.0.1:${ports.get(8080)}`]);
    case "ready":
      return plugin("ready", [`127.0.0.1:${ports.get(8181)}`]);
    case "prometheus":
      return plugin("prometheus", [`127.0.0.1:${ports.get(9153)}`]);
    case "autopath":
    case "file":
      return inFolder(directive, folder);
    case "forward":
      return {
        ...directive,
        args: directive.args.map((argument) => movedServer(argument, ports)),
        options: directive.options.map((each) => (each.name === "tls" ? inFolder(each, folder) : each)),
      };
    default:
      return directive;
  }
}

function inFolder(directive: Directive, folder: string): Directive {
  return { ...directive, args: directive.args.map((each) => String(each).replace(configFolder, folder)) };
}

function movedServer(argument: Argument, ports: ReadonlyMap<number, number>): Argument {
  const [, address, port] = (typeof argument === "string" && /^(127\.[\d.]+):(\d+)$/.exec(argument)) || [];
  return port === undefined ? argument : `${address}:${ports.get(Number(port)) ?? port}`;
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/ready`)).ok;
  } catch {
    return false;
  }
}

async function countOf(port: number, metric: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const counts = [...text.matchAll(new RegExp(`^${metric}\\{.*\\} (\\S+)$`, "gm"))].map(([, count]) => Number(count));
  return counts.reduce((sum, count) => sum + count, 0);
}

// It reports ready before its sockets are open.
async function answers(server: string, port: number): Promise<boolean> {
  try {
    await ask({ name: "cluster.local", server, port, timeoutMs: 500 });
    return true;
  } catch {
    return false;
  }
}
