import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Family } from "../../model/syntax/addresses";
import { orElse } from "../../model/syntax/or-else";

/** A setting of the node's kernel that keeps packets of DNS back, as `sysctl` names it. */
export interface UnfitSetting {
  readonly setting: string;
  readonly value: string;
}

interface Limit {
  /** The setting, and what else its judgement needs. */
  readonly files: readonly [setting: string, ...others: string[]];
  readonly family?: Family;
  /** A file that cannot be read gives no numbers. */
  isUnfit(...numbers: readonly number[]): boolean;
}

/** As many queries of a cache wait at once, with a port each (`max_concurrent` of plugin `forward`). */
const fewestPorts = 1000;

/** Beyond this share of its entries, the kernel soon drops the first packet of every new flow. */
const fullShare = 0.95;

const limits: readonly Limit[] = [
  { files: ["net.ipv4.ip_forward"], family: "IPv4", isUnfit: (value) => value === 0 },
  { files: ["net.ipv6.conf.all.forwarding"], family: "IPv6", isUnfit: (value) => value === 0 },
  {
    files: ["net.ipv4.ip_local_port_range"],
    isUnfit: (first = 0, last = Infinity) => last - first + 1 < fewestPorts,
  },
  {
    files: ["net.netfilter.nf_conntrack_max", "net.netfilter.nf_conntrack_count"],
    // 0: no limit
    isUnfit: (most = 0, count = 0) => most > 0 && count > fullShare * most,
  },
];

/** Settings with which the kernel forwards no packets of pods, or has no ports, or no room to track connections. */
export function unfitSettings(families: ReadonlySet<Family | undefined>, root = "/proc/sys"): UnfitSetting[] {
  return limits.flatMap(({ files, family, isUnfit }) => {
    if (family !== undefined && !families.has(family)) return [];
    const [own = [], ...others] = files.map((file) => numbersOf(join(root, file.replaceAll(".", "/"))));
    return isUnfit(...own, ...others.flat()) ? [{ setting: files[0], value: own.join(" ") }] : [];
  });
}

function numbersOf(file: string): number[] {
  return (orElse(() => readFileSync(file, "utf8"), "").match(/\d+/g) ?? []).map(Number);
}
