import { familyOf, type Family } from "../../syntax/addresses";
import type { Switches } from "../listener";
import { signsOfLife } from "./hang";
import { setName, watchedSet } from "./names";
import { element, familiesOf } from "./switches";
import type { SignOfCache } from "./types";

export const families = ["IPv4", "IPv6"] as const;

/** @param hostTimeoutMs Of `renderNft`. */
export function renderSets(switches: Switches, hostTimeoutMs: number, hasLimit: boolean): string[] {
  return [
    ...families.map(renderConnections),
    ...families.flatMap((family) => renderSwitches(family, switches)),
    renderWatched(switches, hostTimeoutMs),
    ...renderSigns(),
    ...(hasLimit ? families.flatMap(renderLimits) : []),
  ];
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
export function timeout(milliseconds: number): string {
  return `timeout ${Math.ceil(milliseconds)}ms`;
}

function addressType(family: Family): string {
  return family === "IPv6" ? "ipv6_addr" : "ipv4_addr";
}
