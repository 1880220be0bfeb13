import { hostCIDR } from "../../syntax/addresses";
import { isOwnChain } from "./names";

/** A table as `iptables-save` prints it. */
export interface SavedTable {
  readonly name: string;
  readonly chains: readonly string[];
  readonly rules: readonly SavedRule[];
}

export interface SavedRule {
  /** `-A CHAIN ...` */
  readonly line: string;
  readonly chain: string;
  /** 0 unless saved with counters (`-c`). */
  readonly packets: number;
  /** Of a rule that only nft can delete. */
  readonly handle: string | undefined;
}

export function parseSaved(saved: string): SavedTable[] {
  return saved
    .split(/^\*/m)
    .slice(1)
    .map((text) => {
      const [name = "", ...lines] = text.split("\n").map((line) => line.trimEnd());
      return {
        name,
        chains: lines.flatMap((line) => /^:(\S+)/.exec(line)?.[1] ?? []),
        rules: lines.flatMap((line) => {
          const [, packets = 0, rule, chain, handle] =
            /^(?:\[(\d+):\d+\] )?(-A (\S+).*?)(?: # handle (\d+))?$/.exec(line) ?? [];
          return rule && chain ? [{ line: rule, chain, packets: Number(packets), handle }] : [];
        }),
      };
    });
}

/**
 * Our jumps in a chain that iptables cannot list, because one of its rules is nft's own: it finds and deletes only what
 * comes before that rule.
 * @param listed Output of `nft -a list chain`.
 */
export function jumpsAsSaved(listed: string, chain: string): string {
  const jumps = /^\t\t(.*?) ?\bcounter packets (\d+) bytes (\d+) jump (\S+) # handle (\d+)$/gm;
  return [...listed.matchAll(jumps)]
    .map(([, match = "", packets, bytes, target = "", handle]) => {
      const [, address = "", protocol] = /^ip6? daddr (\S+) (udp|tcp) dport 53$/.exec(match) ?? [];
      const query = `-d ${hostCIDR(address)} -p ${protocol} -m ${protocol} --dport 53 `;
      const spelt = match === "" ? "" : protocol === undefined ? "-m unknown " : query;
      return isOwnChain(target) ? `-A ${chain} ${spelt}-c ${packets} ${bytes} -j ${target} # handle ${handle}\n` : "";
    })
    .join("");
}

/** The text of these tables only. */
export function pickTables(saved: string, wanted: readonly string[]): string {
  const tables = saved.split(/^(?=\*)/m);
  return tables.filter((text) => wanted.some((name) => text.startsWith(`*${name}\n`))).join("");
}

/** The same text with the tables that another has as that has them, each in its place: order counts for `ownLines`. */
export function withTables(saved: string, other: string): string {
  const tables = saved.split(/^(?=\*)/m);
  return tables.map((text) => pickTables(other, [/^\*(.*)/.exec(text)?.[1] ?? ""]) || text).join("");
}

/** Our chains, rules and jumps, each with its table. Same as after our last write unless somebody has changed them. */
export function ownLines(saved: string): string[] {
  return parseSaved(saved).flatMap(({ name, chains, rules }) => [
    ...chains.filter(isOwnChain).map((chain) => `${name} :${chain}`),
    ...rules.filter((rule) => isOwnChain(rule.chain) || isJumpToOwn(rule)).map(({ line }) => `${name} ${line}`),
  ]);
}

/** Whether a rule outside our chains jumps to one of them. */
export function isJumpToOwn({ line, chain }: SavedRule): boolean {
  const target = / -j (\S+)/.exec(line)?.[1] ?? "";
  return isOwnChain(target) && !isOwnChain(chain);
}
