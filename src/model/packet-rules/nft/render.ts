import { familyOf, type Family } from "../../syntax/addresses";
import type { Switches } from "../listener";
import { shortestQuestion } from "../match";
import { setName, tableName } from "./names";
import { element } from "./switches";
import type { Chain, FamilyRule, Match, Statement } from "./types";

/**
 * Our table as one nft transaction that replaces the old one: every packet meets either the old rules or the new.
 * @param hostTimeoutSeconds How long the host's queries go to the cache without a renewal.
 */
export function renderNft(chains: readonly Chain[], switches: Switches, hostTimeoutSeconds: number): string {
  const lines = [
    ...counterNames(chains).map((name) => `counter ${name} { }`),
    ...(["IPv4", "IPv6"] as const).flatMap((family) => renderSets(family, switches, hostTimeoutSeconds)),
    ...chains.flatMap(renderChain),
  ];
  return [renderNftRemoval(), `table inet ${tableName} {\n`, ...lines.map((line) => `\t${line}\n`), "}\n"].join("");
}

/** Removes the table. Deleting a missing one fails, so it is declared first. */
export function renderNftRemoval(): string {
  return `table inet ${tableName}\ndelete table inet ${tableName}\n`;
}

function counterNames(chains: readonly Chain[]): string[] {
  const statements = chains.flatMap(({ rules }) => rules.flatMap((rule) => rule.statements));
  return [...new Set(statements.flatMap((statement) => (statement.kind === "count" ? [statement.counter] : [])))];
}

// CoreDNS closes an idle connection after 10 s (plugin timeouts).
const connectionTimeoutSeconds = 30;

// Who asked and who was answered is known from one reading of the counters to the next.
const clientTimeoutSeconds = 15;

function renderSets(family: Family, switches: Switches, hostTimeoutSeconds: number): string[] {
  const type = family === "IPv6" ? "ipv6_addr" : "ipv4_addr";
  const switchSet = (name: keyof Switches, flags: string) => {
    const elements = switches[name].filter(({ address }) => familyOf(address) === family).map(element);
    const content = elements.length > 0 ? ` elements = { ${elements.join(", ")} };` : "";
    return `set ${setName(name, family)} { type ${type} . inet_proto;${flags}${content} }`;
  };
  return [
    switchSet("pods", ""),
    `set ${setName("connections", family)} { type ${type} . inet_service . ${type}; size 65535; flags dynamic,timeout; timeout ${connectionTimeoutSeconds}s; }`,
    switchSet("host", ` flags timeout; timeout ${hostTimeoutSeconds}s;`),
    ...(["asked", "answered"] as const).map(
      (name) =>
        `set ${setName(name, family)} { type ${type} . inet_proto . ${type}; size 4096; flags dynamic,timeout; timeout ${clientTimeoutSeconds}s; }`,
    ),
  ];
}

// netfilter's numbers: raw -300, mangle -150, dstnat -100, srcnat 100.
const priorities: { readonly [stage in Chain["stage"]]: (hook: Chain["hook"]) => number } = {
  raw: () => -300,
  mangle: () => -150,
  nat: (hook) => (hook === "postrouting" ? 100 : -100),
  "after-nat": () => 110,
  last: () => 300,
};

function renderChain({ hook, stage, rules }: Chain): string[] {
  // Only in a route chain does the kernel look up the route again for a packet with a new destination.
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
    ...statements.map((statement) => renderStatement(statement, family)),
  ].join(" ");
}

function renderMatch(match: Match, family: Family): string[] {
  const { source, destination, protocol, sourcePort, destinationPort, socket, mark, connectionMark, direction } = match;
  const header = headerOf(family);
  const bit = (value: number) => `& ${hex(value)} == ${hex(value)}`;
  return [
    ...(match.fromLoopback ? ['iifname "lo"'] : []),
    ...(match.notToLoopback ? ['oifname != "lo"'] : []),
    ...(match.notFromLoopback ? ['iifname != "lo"'] : []),
    ...(source ? [`${header} saddr ${source}`] : []),
    ...(destination ? [`${header} daddr ${destination}`] : []),
    ...(protocol && sourcePort ? [`${protocol} sport ${sourcePort}`] : []),
    ...(protocol && destinationPort ? [`${protocol} dport ${destinationPort}`] : []),
    ...(match.switch ? [`${header} daddr . meta l4proto @${setName(match.switch, family)}`] : []),
    // Not a response, and one question.
    ...(match.isQuestion ? [`udp length >= ${shortestQuestion} @th,80,1 0 @th,96,16 1`] : []),
    ...(match.opens ? ["tcp flags & (fin | syn | rst | ack) == syn"] : []),
    ...(match.accepts ? ["tcp flags & (syn | ack) == syn | ack"] : []),
    ...(match.remembered ? [`${connection(family)} @${setName("connections", family)}`] : []),
    ...(socket ? [{ own: "socket wildcard 0", any: "socket transparent 0" }[socket]] : []),
    ...(socket || match.switch === "host" ? ["fib daddr type local"] : []),
    ...(direction ? [`ct direction ${direction}`] : []),
    ...(mark ? [`meta mark ${bit(mark)}`] : []),
    ...(connectionMark ? [`ct mark ${bit(connectionMark)}`] : []),
    ...(match.untracked ? ["ct state untracked"] : []),
  ];
}

function renderStatement(statement: Statement, family: Family): string {
  switch (statement.kind) {
    case "notrack":
    case "return":
    case "drop":
    case "masquerade":
      return statement.kind;
    case "remember":
      return `update @${setName("connections", family)} { ${connection(family)} }`;
    case "note":
      return `update @${setName(statement.set, family)} { ${pairOf(statement.set, headerOf(family))} }`;
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

function headerOf(family: Family): "ip" | "ip6" {
  return family === "IPv6" ? "ip6" : "ip";
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(8, "0")}`;
}
