import { familyOf, hostCIDR } from "../../syntax/addresses";
import { includesListener, type Listener } from "../listener";
import { shortestQuestion } from "../match";
import { clientListName, isOwnChain, limitName, tables, type Table } from "./names";
import { isJumpToOwn, parseSaved, type SavedTable } from "./saved";
import type { Chain, FamilyChains, Match, Rule, Target } from "./types";

/**
 * The chains of one family as input of `iptables-restore --noflush`; each table is one transaction.
 * @param on Listeners whose switch is on.
 * @param saved Current output of `iptables-save`: existing jumps stay in place, so that each exists once.
 */
export function renderIptables(chains: readonly Chain[], on: readonly Listener[], saved: string): string {
  const rendered = tablesOf(chains, saved).map(([own, present]) => renderTable(own, on, present));
  return (returnsToSocket(chains, on) ? rendered : rendered.toReversed()).join("");
}

/**
 * Whether table nat leaves queries to the cache's socket. A flow that table raw tracks meanwhile stays with the cache, and
 * is refused once the cache is gone. So nat's rule is written after raw's NOTRACK, and removed before it.
 */
function returnsToSocket(chains: readonly Chain[], on: readonly Listener[]): boolean {
  return chains.some(
    ({ table, rules }) => table === "nat" && rules.some((rule) => rule.match.socket && isOn(rule, on)),
  );
}

/** Removes our jumps and chains, whatever their version, and nothing else. */
export function renderIptablesRemoval(saved: string): string {
  return renderIptables([], [], saved);
}

/** Whether the jumps to our chains are exactly those that `renderIptables` would leave. */
export function hasExactJumps(chains: readonly Chain[], on: readonly Listener[], saved: string): boolean {
  return tablesOf(chains, saved).every(([own, present]) => {
    const { missing, surplus } = compareJumps(own, on, present);
    return missing.length === 0 && surplus.length === 0;
  });
}

/** Whether all is there that `renderIptables` wrote: as many rules, and exactly its jumps. */
export function isWhole(chains: readonly Chain[], on: readonly Listener[], saved: string): boolean {
  const wanted = chains.flatMap((chain) => renderRules(chain, on)).length;
  const present = parseSaved(saved).flatMap(({ rules }) => rules.filter(({ chain }) => isOwnChain(chain))).length;
  return present === wanted && hasExactJumps(chains, on, saved);
}

/** Jumps to delete before `renderIptables` is written, which iptables does not find. */
export function surplusByHandle(chains: readonly Chain[], on: readonly Listener[], saved: string): ListedRule[] {
  return tablesOf(chains, saved).flatMap(([own, present]) =>
    compareJumps(own, on, present).surplus.flatMap(({ chain, handle }) =>
      handle === undefined ? [] : [{ table: present.name, chain, handle }],
    ),
  );
}

/** Tables that a switch changes. */
export function tablesThatTurn(families: readonly FamilyChains[]): Table[] {
  const turns = ({ jumps, rules }: Chain) =>
    jumps.some(({ whileOff }) => whileOff) || rules.some(({ whileOn }) => whileOn);
  const turning = families.flatMap(({ chains }) => chains.filter(turns).map(({ table }) => table));
  return tables.filter((table) => turning.includes(table));
}

/** kube-proxy's chains that these jump to. */
export function kubeProxyChains(chains: readonly Chain[]): string[] {
  const targets = chains.flatMap(({ rules }) => rules.flatMap(({ target }) => target ?? []));
  const names = targets.flatMap((target) =>
    typeof target === "object" && "kubeProxyChain" in target ? target.kubeProxyChain : [],
  );
  return [...new Set(names)];
}

export interface ListedRule {
  readonly table: string;
  readonly chain: string;
  /** As nft has it. */
  readonly handle: string;
}

function tablesOf(chains: readonly Chain[], saved: string) {
  const savedTables = parseSaved(saved);
  return tables.map((table) => {
    const present = savedTables.find(({ name }) => name === table) ?? { name: table, chains: [], rules: [] };
    return [chains.filter((chain) => chain.table === table), present] as const;
  });
}

function renderTable(chains: readonly Chain[], on: readonly Listener[], present: SavedTable): string {
  const names = chains.map(({ name }) => name);
  const { missing, surplus } = compareJumps(chains, on, present);
  const lines = [
    // Declaring a chain also empties it: fine for our own, but kube-proxy's are declared only if missing.
    ...kubeProxyChains(chains)
      .filter((chain) => !present.chains.includes(chain))
      .map(declare),
    ...names.map(declare),
    ...chains.flatMap((chain) => renderRules(chain, on)),
    ...surplus.flatMap(({ line, handle }) => (handle === undefined ? `-D${line.slice("-A".length)}` : [])),
    // Each is inserted at the very top, so the last one comes first here.
    ...missing
      .filter(({ place }) => place === "first")
      .toReversed()
      .map(({ line }) => `-I${line.slice("-A".length)}`),
    ...missing.filter(({ place }) => place === "last").map(({ line }) => line),
    ...present.chains
      .filter((chain) => isOwnChain(chain) && !names.includes(chain))
      .flatMap((chain) => [`-F ${chain}`, `-X ${chain}`]),
  ];
  return lines.length > 0 ? [`*${present.name}`, ...lines, "COMMIT", ""].join("\n") : "";
}

function declare(chain: string): string {
  return `:${chain} - [0:0]`;
}

function compareJumps(chains: readonly Chain[], on: readonly Listener[], { rules }: SavedTable) {
  const wanted = chains.flatMap((chain) =>
    chain.jumps
      .filter(({ whileOff }) => !whileOff || !includesListener(on, whileOff))
      .map(({ match }) => ({ place: chain.place, line: renderJump(chain, match) })),
  );
  const jumps = rules.filter(isJumpToOwn);
  const present = jumps.map(({ line }) => line);
  return {
    missing: wanted.filter(({ line }) => !present.includes(line)),
    // The first copy of a wanted jump stays.
    surplus: jumps.filter(
      ({ line }, index) => present.indexOf(line) !== index || !wanted.some((jump) => jump.line === line),
    ),
  };
}

function renderJump({ name, from }: Chain, match: Match): string {
  return [`-A ${from}`, ...renderMatch(match), `-j ${name}`].join(" ");
}

function isOn({ whileOn = [] }: Rule, on: readonly Listener[]): boolean {
  return whileOn.every((listener) => includesListener(on, listener));
}

function renderRules({ name, rules }: Chain, on: readonly Listener[]): string[] {
  return rules
    .filter((rule) => isOn(rule, on))
    .map(({ match, target }) =>
      [`-A ${name}`, ...renderMatch(match), ...(target ? [`-j ${renderTarget(target)}`] : [])].join(" "),
    );
}

// In the order and spelling of iptables-save, so that existing and wanted rules can be compared.
function renderMatch(match: Match): string[] {
  const { source, destination, protocol, sourcePort, destinationPort } = match;
  return [
    ...(source ? [`-s ${hostCIDR(source)}`] : []),
    ...(destination ? [`-d ${hostCIDR(destination)}`] : []),
    ...(match.notFromLoopback ? ["! -i lo"] : []),
    ...(match.notToLoopback ? ["! -o lo"] : []),
    ...(protocol ? [`-p ${protocol}`] : []),
    ...(protocol && (sourcePort || destinationPort || match.otherPort) ? [`-m ${protocol}`] : []),
    ...(sourcePort ? [`--sport ${sourcePort}`] : []),
    ...(destinationPort ? [`--dport ${destinationPort}`] : []),
    ...(match.otherPort ? [`! --dport ${match.otherPort}`] : []),
    ...(match.isQuestion ? [`-m length --length ${ipHeader(destination) + shortestQuestion}:65535`] : []),
    ...(match.opens ? ["--tcp-flags FIN,SYN,RST,ACK SYN"] : []),
    ...(match.accepts ? ["--tcp-flags SYN,ACK SYN,ACK"] : []),
    // Without --nowildcard it matches half-open connections, and listeners on this very address only; nftables needs
    // two rules for that.
    ...(match.socket ? ["-m socket -m addrtype --dst-type LOCAL"] : []),
    ...(match.isNew ? ["-m conntrack --ctstate NEW"] : []),
    ...(match.untracked ? ["-m conntrack --ctstate UNTRACKED"] : []),
    ...(match.unasked ? ["-m conntrack --ctstate INVALID,NEW,UNTRACKED"] : []),
    ...(match.above ? [renderLimit(match.above)] : []),
    ...(match.note ? [renderNote(match.note)] : []),
  ];
}

// Whoever finds no room in the table is dropped: hence so much of it.
function renderLimit(perSecond: number): string {
  return `-m hashlimit --hashlimit-above ${perSecond}/sec --hashlimit-burst ${perSecond} --hashlimit-mode srcip --hashlimit-name ${limitName(perSecond)} --hashlimit-htable-max 65536 --hashlimit-htable-expire 5000`;
}

function renderNote({ list, listener }: NonNullable<Match["note"]>): string {
  return `-m recent --set --name ${clientListName(list, listener)} ${list === "asked" ? "--rsource" : "--rdest"}`;
}

function ipHeader(address: string | undefined): number {
  return familyOf(address ?? "") === "IPv6" ? 40 : 20;
}

function renderTarget(target: Target): string {
  if (typeof target === "string") return target;
  if ("kubeProxyChain" in target) return target.kubeProxyChain;
  if ("reject" in target) return target.reject === "tcp" ? "REJECT --reject-with tcp-reset" : "REJECT";
  return `DNAT --to-destination ${familyOf(target.dnat) === "IPv6" ? `[${target.dnat}]` : target.dnat}:53`;
}
