import type { Family } from "../syntax/addresses";
import { chainName, type Chain, type Listener, type Match, type RuleSet, type Switches, type Verdict } from "./rule";

/**
 * The rule set of one family as input of `iptables-restore --noflush`: every table is one transaction.
 * @param saved What `iptables-save` says now: jumps that are there stay where they are, so that there is one of each.
 */
export function renderIptables(ruleSet: RuleSet, family: Family, switches: Switches, saved: string): string {
  const state = parseSaved(saved);
  return tables.map((table) => renderTable(table, tableLines(ruleSet, family, switches, table), state)).join("");
}

/** Takes away our jumps and chains, whatever rule set they are from, and nothing else. */
export function renderIptablesRemoval(saved: string): string {
  const state = parseSaved(saved);
  return tables.map((table) => renderTable(table, { chains: new Map(), jumps: [], foreign: [] }, state)).join("");
}

/** Whether a text of `renderIptables` neither makes nor takes a jump from a built-in chain: what it was rendered for has them all. */
export function hasJumps(text: string): boolean {
  return !/^-[ID] |^-A (PREROUTING|INPUT|OUTPUT|POSTROUTING) /m.test(text);
}

/** Lines of `iptables-save` that are ours, with their table: equal to those after our last write if nobody meddled. */
export function ownLines(saved: string): string[] {
  return parseSaved(saved).flatMap(({ table, rules, chains }) => [
    ...chains.filter(isOwn).map((chain) => `${table} :${chain}`),
    ...rules.filter((rule) => isOwn(chainOf(rule)) || isJump(rule)).map((rule) => `${table} ${rule}`),
  ]);
}

const tables = ["raw", "mangle", "nat", "filter"] as const;
type Table = (typeof tables)[number];

interface TableLines {
  readonly chains: ReadonlyMap<string, readonly string[]>;
  readonly jumps: readonly { readonly chain: string; readonly rule: string; readonly place: "first" | "last" }[];
  /** Chains of kube-proxy that must exist before they can be jumped to. */
  readonly foreign: readonly string[];
}

interface SavedTable {
  readonly table: string;
  readonly chains: readonly string[];
  /** `-A ...` */
  readonly rules: readonly string[];
}

function tableLines(ruleSet: RuleSet, family: Family, switches: Switches, table: Table): TableLines {
  const own = ruleSet.chains.filter((chain) => chain.stage === table);
  return {
    chains: new Map(own.map((chain) => [ownChain(chain), chainRules(chain, family, ruleSet, switches)])),
    jumps: own.flatMap((chain) =>
      (chain.entry?.matches ?? [])
        .filter((entry) => entry.family === family && isPresent(entry.match, ruleSet, switches))
        .map(({ match }) => ({
          chain: chain.hook.toUpperCase(),
          rule: [...renderMatch(match, family), "-j", ownChain(chain)].join(" "),
          place: chain.entry?.place ?? "first",
        })),
    ),
    foreign: own.flatMap((chain) =>
      chain.rules.flatMap((rule) => rule.verdicts.flatMap((v) => (v.kind === "jump" ? [v.chain] : []))),
    ),
  };
}

function chainRules(chain: Chain, family: Family, ruleSet: RuleSet, switches: Switches): string[] {
  return chain.rules
    .filter((rule) => rule.family === family && isPresent(rule.match, ruleSet, switches))
    .map(({ match, verdicts }) =>
      [`-A ${ownChain(chain)}`, ...renderMatch(match, family), ...verdicts.map((v) => renderVerdict(v, family))].join(
        " ",
      ),
    );
}

function renderTable(table: Table, wanted: TableLines, state: readonly SavedTable[]): string {
  const { chains = [], rules = [] } = state.find((saved) => saved.table === table) ?? {};
  const present = rules.filter(isJump);
  const kept = wanted.jumps.filter(({ chain, rule }) => present.includes(`-A ${chain} ${rule}`));
  const keptLines = new Set(kept.map(({ chain, rule }) => `-A ${chain} ${rule}`));
  // The first copy of a jump that is still wanted stays; others go.
  const surplus = present.filter((rule, index) => !keptLines.has(rule) || present.indexOf(rule) !== index);
  const missing = wanted.jumps.filter((jump) => !kept.includes(jump));
  const gone = chains.filter((chain) => isOwn(chain) && !wanted.chains.has(chain));
  const foreign = [...new Set(wanted.foreign)].filter((chain) => !chains.includes(chain));
  const lines = [
    // Declaring a chain of our own also empties it; one of kube-proxy is only declared where it is missing.
    ...foreign.map((chain) => `:${chain} - [0:0]`),
    ...[...wanted.chains.keys()].map((chain) => `:${chain} - [0:0]`),
    ...[...wanted.chains.values()].flat(),
    ...surplus.map((rule) => rule.replace(/^-A/, "-D")),
    // Inserted at the top one after the other, so the last comes first.
    ...missing
      .filter((jump) => jump.place === "first")
      .toReversed()
      .map(({ chain, rule }) => `-I ${chain} ${rule}`),
    ...missing.filter((jump) => jump.place === "last").map(({ chain, rule }) => `-A ${chain} ${rule}`),
    ...gone.flatMap((chain) => [`-F ${chain}`, `-X ${chain}`]),
  ];
  return lines.length > 0 ? [`*${table}`, ...lines, "COMMIT", ""].join("\n") : "";
}

function ownChain({ hook, stage }: Chain): string {
  const suffix = { prerouting: "", input: "-IN", output: "-OUT", postrouting: "-POST" }[hook];
  // nat has a chain of the same rules for both directions of entry, prerouting and output.
  return stage === "nat" && hook === "output" ? `${chainName}-HOST` : `${chainName}${suffix}`;
}

// A rule exists while the switch of its listener stands so. The RETURN before the fallback names no listener: it goes with the first one
// that is off, for NOTRACK comes before it anyway.
function isPresent(match: Match, { listeners }: RuleSet, { pods }: Switches): boolean {
  if (match.switch === undefined) return true;
  const concerned =
    match.destination === undefined ? listeners : listeners.filter((listener) => isListenerOf(listener, match));
  const on =
    concerned.length > 0 &&
    concerned.every(({ address, protocol }) => pods.some((p) => p.address === address && p.protocol === protocol));
  return match.switch === "pods-off" ? !on : on;
}

function isListenerOf(listener: Listener, match: Match): boolean {
  return listener.address === match.destination && listener.protocol === match.protocol;
}

// The order and spelling of iptables-save, so that what is there can be compared with what is wanted.
function renderMatch(match: Match, family: Family): string[] {
  const { source, destination, protocol, sourcePort, destinationPort, link, socket } = match;
  const length = family === "IPv4" ? 32 : 128;
  return [
    ...(source ? [`-s ${source}/${length}`] : []),
    ...(destination ? [`-d ${destination}/${length}`] : []),
    ...(link === "not-lo" ? ["! -o lo"] : []),
    ...(protocol ? [`-p ${protocol}`] : []),
    ...(protocol && (sourcePort || destinationPort) ? [`-m ${protocol}`] : []),
    ...(sourcePort ? [`--sport ${sourcePort}`] : []),
    ...(destinationPort ? [`--dport ${destinationPort}`] : []),
    // Without --nowildcard it matches listeners of just this address and half-open connections: what nftables needs two rules for.
    ...(socket ? ["-m socket -m addrtype --dst-type LOCAL"] : []),
    ...(match.untracked ? ["-m conntrack --ctstate UNTRACKED"] : []),
  ];
}

function renderVerdict(verdict: Verdict, family: Family): string {
  switch (verdict.kind) {
    case "dnat":
      return `-j DNAT --to-destination ${family === "IPv4" ? verdict.address : `[${verdict.address}]`}:53`;
    case "jump":
      return `-j ${verdict.chain}`;
    case "notrack":
    case "accept":
    case "drop":
    case "return":
    case "masquerade":
      return `-j ${verdict.kind.toUpperCase()}`;
    default:
      throw new Error(`packet rules: iptables has no ${verdict.kind}`);
  }
}

function parseSaved(saved: string): SavedTable[] {
  return saved
    .split(/^\*/m)
    .slice(1)
    .map((text) => {
      const [table = "", ...lines] = text.split("\n").map((line) => line.replace(/^\[\d+:\d+\] /, "").trimEnd());
      return {
        table,
        chains: lines.filter((line) => line.startsWith(":")).map((line) => line.slice(1).split(" ")[0] ?? ""),
        rules: lines.filter((line) => line.startsWith("-A ")),
      };
    });
}

function isOwn(chain: string): boolean {
  return chain === chainName || chain.startsWith(`${chainName}-`);
}

function chainOf(rule: string): string {
  return rule.split(" ")[1] ?? "";
}

// Into one of our chains, from somebody else's.
function isJump(rule: string): boolean {
  const target = / -j (\S+)/.exec(rule)?.[1] ?? "";
  return isOwn(target) && !isOwn(chainOf(rule));
}
