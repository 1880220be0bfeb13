import { familyOf, type Family } from "../syntax/addresses";
import {
  tableName,
  type Chain,
  type Listener,
  type Match,
  type Rule,
  type RuleSet,
  type Switches,
  type Verdict,
} from "./rule";

/**
 * The rule set as one nft transaction: the table as it is goes, the new one comes, no packet meets anything between.
 * @param hostTimeoutSeconds After how long without refresh the kernel takes the host's processes away from the cache.
 */
export function renderNft(ruleSet: RuleSet, switches: Switches, hostTimeoutSeconds: number): string {
  const lines = [
    ...counterNames(ruleSet).map((name) => `counter ${name} { }`),
    ...families.flatMap((family) => [
      set(`pods${family.suffix}`, family, "", elements(family, switches.pods)),
      `set connections${family.suffix} { type ${family.type} . inet_service . ${family.type}; size 65535; flags dynamic,timeout; timeout ${connectionTimeoutSeconds}s; }`,
      set(
        `host${family.suffix}`,
        family,
        ` flags timeout; timeout ${hostTimeoutSeconds}s;`,
        elements(family, switches.host),
      ),
    ]),
    ...ruleSet.chains.flatMap(renderChain),
  ];
  // Declared first, because a table that is not there cannot be deleted.
  return [
    `table inet ${tableName}`,
    `delete table inet ${tableName}`,
    `table inet ${tableName} {`,
    ...lines.map(indent),
    "}",
    "",
  ].join("\n");
}

/** Removes everything; also when there is nothing. */
export function renderNftRemoval(): string {
  return `table inet ${tableName}\ndelete table inet ${tableName}\n`;
}

/** Turns the switch for pods of the listeners. */
export function renderNftSwitch(listeners: readonly Listener[], on: boolean): string {
  // An element is added before it is deleted, for deleting one that is missing fails.
  return listeners
    .map((listener) => {
      const element = `element inet ${tableName} pods${suffixOf(listener)} { ${elementOf(listener)} }`;
      return on ? `add ${element}\n` : `add ${element}\ndelete ${element}\n`;
    })
    .join("");
}

/** Gives the host's processes to the cache for another while, or takes them away at once. */
export function renderNftHost(listeners: readonly Listener[], on: boolean): string {
  // Adding alone does not renew the time of an element that is there.
  return listeners
    .map((listener) => {
      const element = `element inet ${tableName} host${suffixOf(listener)} { ${elementOf(listener)} }`;
      return `add ${element}\ndelete ${element}\n${on ? `add ${element}\n` : ""}`;
    })
    .join("");
}

function counterNames({ chains }: RuleSet): string[] {
  const verdicts = chains.flatMap(({ rules }) => rules.flatMap((rule) => rule.verdicts));
  return [...new Set(verdicts.flatMap((verdict) => (verdict.kind === "count" ? [verdict.counter] : [])))];
}

// More than the 10 s after which CoreDNS closes an idle connection (plugin timeouts).
const connectionTimeoutSeconds = 30;

const families = [
  { suffix: "4", family: "IPv4", type: "ipv4_addr", header: "ip" },
  { suffix: "6", family: "IPv6", type: "ipv6_addr", header: "ip6" },
] as const;

function suffixOf({ address }: Listener): "4" | "6" {
  return familyOf(address) === "IPv6" ? "6" : "4";
}

function elementOf({ address, protocol }: Listener): string {
  return `${address} . ${protocol}`;
}

function elements({ family }: { family: Family }, listeners: readonly Listener[]): string {
  const own = listeners.filter(({ address }) => familyOf(address) === family).map(elementOf);
  return own.length > 0 ? ` elements = { ${own.join(", ")} };` : "";
}

function set(name: string, { type }: { type: string }, flags: string, content: string): string {
  return `set ${name} { type ${type} . inet_proto;${flags}${content} }`;
}

// Numbers of netfilter's priorities: raw -300, mangle -150, dstnat -100, srcnat 100.
const priorities: { readonly [stage in Chain["stage"]]: (hook: Chain["hook"]) => string } = {
  raw: () => "-300",
  mangle: () => "-150",
  nat: (hook) => (hook === "postrouting" ? "100" : "-100"),
  filter: () => "0",
  "after-nat": () => "110",
  last: () => "300",
};

function renderChain({ hook, stage, rules }: Chain): string[] {
  // Only a route chain makes the kernel look up the way of a rewritten packet again.
  const type = stage === "nat" ? "nat" : hook === "output" && stage === "raw" ? "route" : "filter";
  return [
    `chain ${hook}-${stage} {`,
    `\ttype ${type} hook ${hook} priority ${priorities[stage](hook)}; policy accept;`,
    ...rules.map((rule) => `\t${renderRule(rule)}`),
    "}",
  ];
}

function renderRule({ family, match, verdicts }: Rule): string {
  const { header, suffix } = families.find((f) => f.family === family) ?? families[0];
  const words = [
    ...renderMatch(match, header, suffix),
    ...verdicts.map((verdict) => renderVerdict(verdict, header, suffix)),
  ];
  const namesFamily = match.source ?? match.destination;
  return (namesFamily ? words : [`meta nfproto ${family.toLowerCase()}`, ...words]).join(" ");
}

function renderMatch(match: Match, header: "ip" | "ip6", suffix: string): string[] {
  const { source, destination, protocol, sourcePort, destinationPort, link, socket, mark, connectionMark, direction } =
    match;
  const bit = (value: number) => `& ${hex(value)} == ${hex(value)}`;
  return [
    ...(link === "lo" ? ['iifname "lo"'] : []),
    ...(link === "not-lo" ? ['oifname != "lo"'] : []),
    ...(source ? [`${header} saddr ${source}`] : []),
    ...(destination ? [`${header} daddr ${destination}`] : []),
    ...(protocol && sourcePort ? [`${protocol} sport ${sourcePort}`] : []),
    ...(protocol && destinationPort ? [`${protocol} dport ${destinationPort}`] : []),
    ...(match.switch === "pods" || match.switch === "host"
      ? [`${header} daddr . meta l4proto @${match.switch}${suffix}`]
      : []),
    ...(match.opens ? ["tcp flags & (fin | syn | rst | ack) == syn"] : []),
    ...(match.remembered ? [`${connection(header)} @connections${suffix}`] : []),
    ...(socket ? [{ own: "socket wildcard 0", any: "socket transparent 0" }[socket]] : []),
    ...(socket || match.switch === "host" ? ["fib daddr type local"] : []),
    ...(direction ? [`ct direction ${direction}`] : []),
    ...(mark ? [`meta mark ${bit(mark)}`] : []),
    ...(connectionMark ? [`ct mark ${bit(connectionMark)}`] : []),
    ...(match.untracked ? ["ct state untracked"] : []),
  ];
}

function connection(header: "ip" | "ip6"): string {
  return `${header} saddr . tcp sport . ${header} daddr`;
}

function renderVerdict(verdict: Verdict, header: "ip" | "ip6", suffix: string): string {
  switch (verdict.kind) {
    case "remember":
      return `update @connections${suffix} { ${connection(header)} }`;
    case "count":
      return `counter name "${verdict.counter}"`;
    case "set-mark":
      return `meta mark set meta mark | ${hex(verdict.bit)}`;
    case "clear-mark":
      return `meta mark set meta mark & ${hex(~verdict.bit >>> 0)}`;
    case "set-connection-mark":
      return `ct mark set ct mark | ${hex(verdict.bit)}`;
    case "clear-connection-mark":
      return `ct mark set ct mark & ${hex(~verdict.bit >>> 0)}`;
    case "set-destination":
      return `${header} daddr set ${verdict.address}`;
    case "set-source":
      return `${header} saddr set ${verdict.address}`;
    case "dnat":
      return header === "ip" ? `dnat ip to ${verdict.address}:53` : `dnat ip6 to [${verdict.address}]:53`;
    case "jump":
      return `jump ${verdict.chain}`;
    default:
      return verdict.kind;
  }
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(8, "0")}`;
}

function indent(line: string): string {
  return `\t${line}`;
}
