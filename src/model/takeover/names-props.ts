import { defaults } from "../defaults";
import { addressRange, parseServer } from "../syntax/addresses";
import type { Rewrite } from "../props/special-names";
import type { Answers, Fact } from "./answers";
import { type Finding, found, unlessDefault } from "./finding";
import { inZone } from "../syntax/names";
import { wholeNumber, zoneText } from "./plugin-facts";

/**
 * What a cluster file says so that pods get the same answers.
 * @param asked What pods get: from a cache that is there, and from the cluster's DNS behind it.
 */
export function namesProps(asked: Pick<Answers, "facts">, dns: Answers, cache: Answers | undefined): Finding[] {
  const { domain } = dns;
  // A cache goes past the zones that only the cluster's DNS has; somebody wants them all the same.
  const own = [
    ...(cache?.servedZones ?? []).map((zone) => [zone, asked.facts(zone)] as const),
    ...dns.servedZones.map((zone) => [zone, dns.facts(zone)] as const),
  ];
  const outside = asked.facts(".");
  const ofCluster = domain === undefined ? [] : asked.facts(domain);
  const option = (name: string) => valuesOf(ofCluster, "kubernetes", name)[0];
  return [
    ...(domain === undefined
      ? []
      : [
          ...unlessDefault("clusterDomain", domain, defaults.cluster.clusterDomain),
          ...unlessDefault("authoritativeDNS.ttl", wholeNumber(option("ttl")), defaults.authoritativeDNS.ttl),
          ...unlessDefault("authoritativeDNS.pods", option("pods"), defaults.authoritativeDNS.pods),
        ]),
    ...upstreamProps(outside),
    ...own.filter(([zone]) => zone !== ".").flatMap(([zone, facts]) => stubDomain(zone, facts)),
    ...zoneFiles(dns),
    ...unlessDefault(
      "rewrites",
      [...(cache?.rewrites ?? []), ...dns.rewrites].map(withoutDefaults),
      defaults.cluster.rewrites,
    ),
    ...unlessDefault("hostAliases", hostAliases([...outside, ...ofCluster]), defaults.cluster.hostAliases),
  ];
}

function withoutDefaults({ match, ...rule }: Rewrite): Rewrite {
  return match === "exact" ? rule : { match, ...rule };
}

/** The settings of a cache for names outside the cluster. */
export function cacheProps(outside: readonly Fact[]): { readonly ttls: Finding[]; readonly rest: Finding[] } {
  const option = (name: string) => valuesOf(outside, "cache", name)[0];
  const ttl = (name: "success" | "denial") => {
    const seconds = wholeNumber(option(`${name} ttl`));
    return seconds ? unlessDefault(`${name}.ttl`, seconds, defaults.cache[name].ttl) : [];
  };
  return {
    ttls: [...ttl("success"), ...ttl("denial")],
    rest: [
      ...found("prefetch", prefetch(option("prefetch"))),
      ...found("serveStale", serveStale(option("serve_stale"), option("serve_stale_policy"))),
    ],
  };
}

/** Capacities that somebody chose: CoreDNS's own would take memory that ours does not need. */
export function capacityProps(outside: readonly Fact[]): Finding[] {
  return (["success", "denial"] as const).flatMap((name) => {
    const entries = wholeNumber(valuesOf(outside, "cache", `${name} capacity`)[0]);
    return entries === undefined || entries === defaults.clusterCache[name].capacity
      ? []
      : unlessDefault(`${name}.capacity`, entries, defaults.cache[name].capacity);
  });
}

function valuesOf(facts: readonly Fact[], plugin: string, option: string): string[] {
  return facts.filter((fact) => fact.plugin === plugin && fact.option === option).map(({ value }) => value);
}

function serversIn(facts: readonly Fact[]): string[] {
  return valuesOf(facts, "forward", "to").flatMap((to) => to.split(" "));
}

/** What ours can ask: plain servers, or servers over TLS that have one name. Plain DNS never replaces TLS. */
function upstreamProps(outside: readonly Fact[]): Finding[] {
  const targets = serversIn(outside);
  const [name] = valuesOf(outside, "forward", "tls_servername");
  const servers = targets.map((target) => target.replace(/^tls:\/\//, ""));
  const isServer = servers.length > 0 && servers.every((server) => parseServer(server) !== undefined);
  const overTLS = targets.filter((target) => target.startsWith("tls://")).length;
  const isWhole = overTLS === 0 || (overTLS === targets.length && name !== undefined);
  // The port of plain DNS, where a server may have TLS all the same.
  const isRefused = overTLS > 0 && servers.some((server) => parseServer(server)?.port === 53);
  const isTaken = isServer && isWhole && !isRefused;
  return [
    ...(isTaken ? found("upstreamNameservers", servers) : []),
    ...(isTaken && overTLS > 0 ? found("upstreamTLSServerName", name) : []),
    ...unlessDefault("upstreamPolicy", valuesOf(outside, "forward", "policy")[0], defaults.cluster.upstreamPolicy),
  ];
}

/** A zone with servers of its own, outside of the pod that asks them. */
function stubDomain(zone: string, facts: readonly Fact[]): Finding[] {
  const servers = serversIn(facts);
  const isOwn = !facts.some(({ plugin }) => plugin === "kubernetes");
  const isOutside = (server: string) => {
    const { address } = parseServer(server) ?? {};
    return address !== undefined && addressRange(address) !== "loopback";
  };
  return isOwn && servers.length > 0 && servers.every(isOutside)
    ? [{ path: ["stubDomains", zone], value: servers }]
    : [];
}

/** Zones of files; those below one have the same. */
function zoneFiles(dns: Answers): Finding[] {
  const files = dns.zones.flatMap((zone) => {
    const facts = dns.facts(zone);
    const text = facts.find(({ plugin, option }) => plugin === "file" && option === zoneText);
    const fallthrough = valuesOf(facts, "file", "fallthrough")[0] === "yes";
    return text
      ? [{ zone, directive: text.directive, value: { file: text.value, ...(fallthrough && { fallthrough }) } }]
      : [];
  });
  return files
    .filter(
      ({ zone, directive }) =>
        !files.some((each) => each.directive === directive && each.zone !== zone && inZone(zone, each.zone)),
    )
    .map(({ zone, value }) => ({ path: ["zones", zone], value }));
}

function hostAliases(facts: readonly Fact[]): object[] {
  const entries = new Set(valuesOf(facts, "hosts", "entry"));
  return [...entries].map((entry) => {
    const [ip, ...hostnames] = entry.split(" ");
    return { ip, hostnames };
  });
}

function prefetch(value: string | undefined): object | undefined {
  const [amount, duration, percentage = ""] = value?.split(" ") ?? [];
  if (amount === undefined) return undefined;
  return {
    amount: Number(amount),
    ...(duration !== defaults.prefetch.duration && { duration }),
    ...(percentage !== `${defaults.prefetch.percentage}%` && { percentage: Number(percentage.slice(0, -1)) }),
  };
}

/** A time of 0 has no name in CoreDNS; ours has a default of its own, which is listed. */
function serveStale(value: string | undefined, policy: string | undefined): object | undefined {
  const [duration, refresh, ...times] = value?.split(" ") ?? [];
  if (duration === undefined) return undefined;
  const [timeout, responseTTL, failureRecheck] = (refresh === "verify" ? times : ["0s", ...times]).map((time) =>
    time === "0s" ? undefined : time,
  );
  return {
    duration,
    refresh,
    ...(timeout !== undefined && { timeout }),
    ...(responseTTL !== undefined && { responseTTL }),
    ...(failureRecheck !== undefined && { failureRecheck }),
    ...(policy !== undefined && { preferPositive: true }),
  };
}
