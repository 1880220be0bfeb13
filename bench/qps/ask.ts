import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Pod } from "../../rig/cluster/pod";

/** What dnsperf sends. */
export interface Load {
  readonly protocol: "udp" | "tcp";
  /** In turn, for their A records, all of which exist. */
  readonly names: Iterable<string>;
  /** As many as the server takes if undefined: 100 wait for their answers at any time. */
  readonly perSecond?: number;
  readonly seconds: number;
}

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly lost: number;
}

/** Asks from a pod, over ten connections if by TCP, and takes each answer's time. */
export async function askFor(client: Pod, server: string, load: Load): Promise<Measured> {
  const { protocol, names, perSecond, seconds } = load;
  const file = join(client.node.folder, "questions"); // dnsperf reads it repeatedly
  writeFileSync(file, Array.from(names, (name) => `${name} A\n`).join(""));
  const connections = protocol === "tcp" ? ["-c", "10"] : [];
  const rate = perSecond === undefined ? [] : ["-Q", String(perSecond)];
  const printed = await client.exec(
    ["dnsperf", "-v", "-m", protocol, "-s", server, "-d", file, "-l", String(seconds), ...connections, ...rate],
    { timeoutSeconds: seconds + 60 },
  );
  const number = (label: string) => {
    const [, value] = new RegExp(`${label}\\s+([0-9.]+)`).exec(printed) ?? [];
    if (value === undefined) throw new Error(`dnsperf printed no ${label}\n${printed.slice(-2000)}`);
    return Number(value);
  };
  // > NOERROR www.outside.test A 0.000123
  const ms = [...printed.matchAll(/^> NOERROR \S+ \S+ ([0-9.]+)$/gm)].map(([, each]) => Number(each) * 1000);
  const sorted = Float64Array.from(ms).sort();
  const part = (share: number) => sorted[Math.floor(sorted.length * share)] ?? NaN;
  const completed = number("Queries completed:");
  if (sorted.length < completed) throw new Error(`${completed - sorted.length} of ${completed} answers are wrong`);
  return {
    perSecond: number("Queries per second:"),
    p50Ms: part(0.5),
    p99Ms: part(0.99),
    p999Ms: part(0.999),
    lost: number("Queries lost:"),
  };
}
