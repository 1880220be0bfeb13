import { familyOf, wordsOf, type Family } from "../../syntax/addresses";
import type { Protocol, Switches } from "../listener";
import { shortestQuestion } from "../match";
import { signsOfLife } from "./hang";
import { setName, tableName, watchedSet } from "./names";
import { element, familiesOf } from "./switches";
import type { Chain, FamilyRule, Match, SignOfCache, SignOfLife, Statement } from "./types";

const families = ["IPv4", "IPv6"] as const;

/** A chain, set or counter of a table. */
export interface TablePart {
  readonly kind: "chain" | "set" | "counter";
  readonly name: string;
}

/**
 * Our table as one nft transaction that replaces the old one: every packet meets either the old rules or the new. Only
 * the remembered connections stay: without them an established connection would lose the cache midway.
 * @param hostTimeoutMs For how long the host's switch counts after a sign of the watchdog.
 * @param present What the table holds now.
 */
export function renderNft(
  chains: readonly Chain[],
  switches: Switches,
  hostTimeoutMs: number,
  present: readonly TablePart[] = [],
): string {
  const lines = [
    ...counterNames(chains).map((name) => `counter ${name} { }`),
    ...families.map(renderConnections),
    ...families.flatMap((family) => renderSwitches(family, switches)),
    renderWatched(switches, hostTimeoutMs),
    ...renderSigns(),
    ...(hasLimit(chains) ? families.flatMap(renderLimits) : []),
    ...chains.flatMap(renderChain),
  ];
  return [
    `table inet ${tableName}\nflush table inet ${tableName}\n`,
    ...renderPartsRemoval(present),
    `table inet ${tableName} {\n`,
    ...lines.map((line) => `\t${line}\n`),
    "}\n",
  ].join("");
}

/** Removes the table. Deleting a missing one fails, so it is declared first. */
export function renderNftRemoval(): string {
  return `table inet ${tableName}\ndelete table inet ${tableName}\n`;
}

// Deleted and redeclared, they may have a new definition. The set that stays may not: to change it, give it another
// name.
function renderPartsRemoval(present: readonly TablePart[]): string[] {
  const stays = families.map((family) => setName("connections", family));
  return present
    .filter(({ name }) => !stays.includes(name))
    .map(({ kind, name }) => `delete ${kind} inet ${tableName} ${name}\n`);
}

function counterNames(chains: readonly Chain[]): string[] {
  const statements = chains.flatMap(({ rules }) => rules.flatMap((rule) => rule.statements));
  return [...new Set(statements.flatMap((statement) => (statement.kind === "count" ? [statement.counter] : [])))];
}

// CoreDNS closes an idle connection after 10 s (plugin timeouts).
const connectionTimeoutMs = 30_000;

// Covers the time between two readings of the counters.
const clientTimeoutMs = 15_000;

// Comes before the other sets: it stays in place while they are redeclared, so the listing stays the same.
function renderConnections(family: Family): string {
  const type = `${addressType(family)} . inet_service . ${addressType(family)}`;
  return dynamicSet(setName("connections", family), type, 65535, connectionTimeoutMs);
}

function renderSwitches(family: Family, switches: Switches): string[] {
  const render = (name: keyof Switches) => {
    const elements = switches[name].filter(({ address }) => familyOf(address) === family).map(element);
    const content = elements.length > 0 ? ` elements = { ${elements.join(", ")} };` : "";
    return `set ${setName(name, family)} { type ${addressType(family)} . inet_proto;${content} }`;
  };
  return [
    render("pods"),
    render("host"),
    ...(["asked", "answered"] as const).map((name) => {
      const type = `${addressType(family)} . inet_proto . ${addressType(family)}`;
      return dynamicSet(setName(name, family), type, 4096, clientTimeoutMs);
    }),
  ];
}

// What is written again must not wait for the next sign: an open TCP connection would lose the cache midway.
function renderWatched({ host }: Switches, hostTimeoutMs: number): string {
  const watched = familiesOf(host);
  const content = watched.length > 0 ? ` elements = { ${watched.join(", ")} };` : "";
  return dynamicSet(watchedSet, "nf_proto", 16, hostTimeoutMs, content);
}

// A few addresses; but what has expired or is deleted takes room until the kernel collects it, once a second.
function renderSigns(): string[] {
  const render = (name: string, type: string, ms: number) => dynamicSet(name, type, 4096, ms);
  const { cache, clusterDNS } = signsOfLife;
  return [
    ...families.flatMap((family) =>
      Object.entries(cache).map(([sign, ms]) => render(setName(sign as SignOfCache, family), addressType(family), ms)),
    ),
    ...Object.entries(clusterDNS).map(([sign, ms]) => render(sign, "nf_proto", ms)),
  ];
}

function hasLimit(chains: readonly Chain[]): boolean {
  return chains.some(({ rules }) => rules.some(({ statements }) => statements.some(({ kind }) => kind === "limit")));
}

// After a second without a query, a source has all of its limit again. Who was limited is for people to read.
const limitTimeoutMs = { rates: 5_000, limited: 600_000 } as const;

function renderLimits(family: Family): string[] {
  return (["rates", "limited"] as const).map((name) =>
    dynamicSet(setName(name, family), addressType(family), 4096, limitTimeoutMs[name]),
  );
}

/** A set that rules fill. */
function dynamicSet(name: string, type: string, size: number, ms: number, content = ""): string {
  return `set ${name} { type ${type}; size ${size}; flags dynamic,timeout; ${timeout(ms)};${content} }`;
}

// nft reads whole numbers only, and milliseconds are its smallest unit.
function timeout(milliseconds: number): string {
  return `timeout ${Math.ceil(milliseconds)}ms`;
}

function addressType(family: Family): string {
  return family === "IPv6" ? "ipv6_addr" : "ipv4_addr";
}

// netfilter's numbers: raw -300, conntrack -200, mangle -150, dstnat -100, filter 0, srcnat 100.
const priorities: { readonly [stage in Chain["stage"]]: (hook: Chain["hook"]) => number } = {
  // Above raw in hook output: a NOTRACK for the service IP that node-cache may have left there must not match what goes
  // past the cache.
  raw: (hook) => (hook === "output" ? -250 : -300),
  mangle: () => -150,
  // Ahead of kube-proxy's: the first that masquerades ends the walk.
  nat: (hook) => (hook === "postrouting" ? 99 : -100),
  filter: () => 0,
  "after-nat": () => 110,
  last: () => 300,
  delivered: () => 310,
};

function renderChain({ hook, stage, rules }: Chain): string[] {
  // The kernel reroutes a packet with a new destination only in a chain of type route.
  const type = stage === "nat" ? "nat" : hook === "output" && stage === "raw" ? "route" : "filter";
  return [
    `chain ${hook}-${stage} {`,
    `\ttype ${type} hook ${hook} priority ${priorities[stage](hook)}; policy accept;`,
    ...rules.map((rule) => `\t${renderRule(rule)}`),
    "}",
  ];
}

function renderRule({ family, match, statements }: FamilyRule): string {
  const namesFamily = match.source ?? match.destination;
  return [
    ...(namesFamily ? [] : [`meta nfproto ${family.toLowerCase()}`]),
    ...renderMatch(match, family),
    ...statements.map((statement) => renderStatement(statement, match, family)),
  ].join(" ");
}

// The beginning of what was refused: IP header, without options, and that of TCP or UDP.
const refused = {
  IPv4: { icmp: "icmp", protocol: "@th,136,8", destination: "@th,192,32", port: "@th,240,16", urgent: "@th,368,16" },
  IPv6: { icmp: "icmpv6", protocol: "@th,112,8", destination: "@th,256,128", port: "@th,400,16", urgent: "@th,528,16" },
} as const;

const protocolNumber = { udp: 17, tcp: 6 } as const;

// The refusal of a query that our rules have sent to the service IP comes from the link-local address, too: the sender's.
// It quotes the service IP.
function renderRefusal(of: Protocol, asked: string, family: Family): string {
  const { icmp, protocol, destination, port } = refused[family];
  const unreachable = `${icmp} type destination-unreachable ${icmp} code port-unreachable`;
  return `${unreachable} ${protocol} ${protocolNumber[of]} ${destination} ${digitsOf(asked)} ${port} 53`;
}

// The refusal has a checksum, which nft does not keep right here. So the difference goes where zero was, and where nobody
// looks: the urgent pointer of the packet that opened a connection.
function renderRefusedDestination(was: string, address: string, family: Family): string {
  const sum = (words: readonly number[]) => words.reduce((total, word) => total + word, 0);
  const [before, after] = [wordsOf(was), wordsOf(address)];
  const difference = (sum(before) - sum(after)) % 0xffff;
  const { destination, urgent } = refused[family];
  return `${destination} set ${digitsOf(address)} ${urgent} set ${difference < 0 ? difference + 0xffff : difference}`;
}

function digitsOf(address: string): string {
  return `0x${wordsOf(address)
    .map((word) => word.toString(16).padStart(4, "0"))
    .join("")}`;
}

function renderMatch(match: Match, family: Family): string[] {
  const { source, destination, protocol, sourcePort, destinationPort, socket, mark, connectionMark, direction } = match;
  const header = headerOf(family);
  const bit = (value: number) => `& ${hex(value)} == ${hex(value)}`;
  return [
    ...(match.fromLoopback ? ['iifname "lo"'] : []),
    ...(match.notDNS ? [`th ${match.notDNS} != 53`] : []),
    ...(match.notFromLoopback ? ['iifname != "lo"'] : []),
    ...(match.toLoopback ? ['oifname "lo"'] : []),
    ...(match.notToLoopback ? ['oifname != "lo"'] : []),
    ...(source ? [`${header} saddr ${source}`] : []),
    ...(match.notSource ? [`${header} saddr != ${match.notSource}`] : []),
    ...(destination ? [`${header} daddr ${destination}`] : []),
    ...(match.notDestination ? [`${header} daddr != { ${match.notDestination.join(", ")} }`] : []),
    ...(protocol && sourcePort ? [`${protocol} sport ${sourcePort}`] : []),
    ...(protocol && destinationPort ? [`${protocol} dport ${destinationPort}`] : []),
    ...(protocol && match.otherPort ? [`${protocol} dport != ${match.otherPort}`] : []),
    ...(match.switch ? [`${header} daddr . meta l4proto @${setName(match.switch, family)}`] : []),
    ...(match.watched ? [`meta nfproto @${watchedSet}`] : []),
    ...Object.entries(match.signs ?? {}).map(([sign, isIn]) => {
      const { set, key } = noteOf(sign as SignOfLife, match, family);
      return `${key} ${isIn ? "" : "!= "}@${set}`;
    }),
    // Not a response, and exactly one question.
    ...(match.isQuestion ? [`udp length >= ${shortestQuestion} @th,80,1 0 @th,96,16 1`] : []),
    ...(match.opens ? ["tcp flags & (fin | syn | rst | ack) == syn"] : []),
    ...(match.accepts ? ["tcp flags & (syn | ack) == syn | ack"] : []),
    ...(match.refuses ? [renderRefusal(match.refuses, source ?? "", family)] : []),
    ...(match.pushes ? ["tcp flags & psh == psh"] : []),
    ...(match.remembered ? [`${connection(family)} @${setName("connections", family)}`] : []),
    ...(socket ? [{ own: "socket wildcard 0", any: "socket transparent 0" }[socket]] : []),
    ...(socket || match.switch === "host" ? ["fib daddr type local"] : []),
    ...(match.openedTo ? [`ct original ${header} daddr ${match.openedTo} ct original proto-dst 53`] : []),
    ...(direction ? [`ct direction ${direction}`] : []),
    ...(mark ? [`meta mark ${bit(mark)}`] : []),
    ...(connectionMark ? [`ct mark ${bit(connectionMark)}`] : []),
    ...(match.isNew ? ["ct state new"] : []),
    ...(match.untracked ? ["ct state untracked"] : []),
    ...(match.unasked ? ["ct state invalid,new,untracked"] : []),
  ];
}

function renderStatement(statement: Statement, match: Match, family: Family): string {
  switch (statement.kind) {
    case "notrack":
    case "return":
    case "drop":
    case "masquerade":
      return statement.kind;
    case "reject":
      return statement.protocol === "tcp" ? "reject with tcp reset" : "reject";
    case "remember":
      return `update @${setName("connections", family)} { ${connection(family)} }`;
    case "limit":
      return `update @${setName("rates", family)} { ${headerOf(family)} saddr limit rate over ${statement.perSecond}/second burst ${statement.perSecond} packets }`;
    case "note-limited":
      return `update @${setName("limited", family)} { ${headerOf(family)} saddr }`;
    case "note":
      return `update @${setName(statement.set, family)} { ${pairOf(statement.set, headerOf(family))} }`;
    case "note-watched":
      return `update @${watchedSet} { meta nfproto }`;
    case "add":
    case "update":
    case "delete": {
      const lasts = statement.ms === undefined ? "" : ` ${timeout(statement.ms)}`;
      const { set, key } = noteOf(statement.sign, match, family);
      return `${statement.kind} @${set} { ${key}${lasts} }`;
    }
    case "count":
      return `counter name "${statement.counter}"`;
    case "set-mark":
      return `meta mark set meta mark | ${hex(statement.bit)}`;
    case "clear-mark":
      return `meta mark set meta mark & ${hex(~statement.bit >>> 0)}`;
    case "set-connection-mark":
      return `ct mark set ct mark | ${hex(statement.bit)}`;
    case "clear-connection-mark":
      return `ct mark set ct mark & ${hex(~statement.bit >>> 0)}`;
    case "set-destination":
      return `${headerOf(family)} daddr set ${statement.address}`;
    case "set-source":
      return `${headerOf(family)} saddr set ${statement.address}`;
    case "set-refused-destination":
      return renderRefusedDestination(statement.was, statement.address, family);
    case "dnat":
      return family === "IPv6" ? `dnat ip6 to [${statement.address}]:53` : `dnat ip to ${statement.address}:53`;
  }
}

function connection(family: Family): string {
  const header = headerOf(family);
  return `${header} saddr . tcp sport . ${header} daddr`;
}

// The listener, and its client.
function pairOf(set: "asked" | "answered", header: string): string {
  return set === "asked"
    ? `${header} daddr . meta l4proto . ${header} saddr`
    : `${header} saddr . meta l4proto . ${header} daddr`;
}

// The cache's address is in its answers and in queries.
function noteOf(sign: SignOfLife, { source }: Match, family: Family): { set: string; key: string } {
  if (sign === "past-live" || sign === "past-tried") return { set: sign, key: "meta nfproto" };
  return { set: setName(sign, family), key: `${headerOf(family)} ${source === undefined ? "daddr" : "saddr"}` };
}

/** As nft calls it. */
export function headerOf(family: Family): "ip" | "ip6" {
  return family === "IPv6" ? "ip6" : "ip";
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(8, "0")}`;
}
