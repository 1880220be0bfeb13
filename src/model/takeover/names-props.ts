import { aliasFault, zonesOfCluster } from "../check/outside-names";
import isAccepted = require("../check/validate");
import { defaults } from "../defaults";
import { entriesUnlike } from "../kubernetes/differences";
import { addressRange, familyOf, parseServer } from "../syntax/addresses";
import type { ForwardOptions, HealthCheck } from "../props/forward-options";
import type { HostAlias, ZoneServers } from "../props/special-names";
import type { Answers, Asked, Fact } from "./answers";
import { type FoundValue, found, unlessDefault } from "./found";
import { grouped } from "../syntax/grouped";
import { inZone, isDNSName, reverseZones } from "../syntax/names";
import { noAAAA, wholeNumber, zoneText } from "./plugin-facts";
import { largestConfigMap } from "./read-corefile";

/** What pods get: from a cache that is there, and from the cluster's DNS behind it. */
export interface Today {
  readonly dns: Answers;
  readonly cache: Answers | undefined;
  readonly asked: Asked;
  readonly isCluster: (server: string) => boolean;
}

/** What a cluster file says so that pods get the same answers. @param clusterDNS Addresses of the DNS Service. */
export function namesProps({ asked, dns, cache, isCluster }: Today, clusterDNS: readonly string[]): FoundValue[] {
  const { domain } = dns;
  // A cache goes past the zones that only the cluster's DNS has; somebody wants them all the same.
  const own = [
    ...(cache?.servedZones ?? []).map((zone) => [zone, asked.facts(zone)] as const),
    ...dns.servedZones.map((zone) => [zone, dns.facts(zone)] as const),
  ];
  const outside = asked.facts(".");
  const ofCluster = domain === undefined ? [] : asked.facts(domain);
  const option = (name: string) => valuesOf(ofCluster, "kubernetes", name)[0];
  const clusterDomain = domain ?? defaults.cluster.clusterDomain;
  // What is said of some zones in the blocks for the cluster's names and for all others.
  const mainBlocks = [dns.source, cache?.source];
  const aliases = hostAliases(
    [...outside, ...ofCluster, ...asked.zones.flatMap(asked.facts).filter(({ where }) => mainBlocks.includes(where))],
    clusterDomain,
  );
  const hasIPv6 = [...clusterDNS, ...aliases.map(({ ip }) => ip)].some((address) => familyOf(address) === "IPv6");
  return [
    ...(domain === undefined
      ? []
      : [
          ...unlessDefault("clusterDomain", domain, defaults.cluster.clusterDomain),
          ...unlessDefault("authoritativeDNS.ttl", wholeNumber(option("ttl")), defaults.authoritativeDNS.ttl),
          ...(isAccepted({ authoritativeDNS: { pods: option("pods") } })
            ? unlessDefault("authoritativeDNS.pods", option("pods"), defaults.authoritativeDNS.pods)
            : []),
        ]),
    ...upstreamProps(outside, cache),
    ...own
      .filter(([zone]) => ![".", ...zonesOfCluster(clusterDomain), ...reverseZones].includes(zone))
      .flatMap(([zone, facts]) => stubDomain(zone, facts, isCluster)),
    ...zoneFiles(dns),
    ...unlessDefault(
      "rewrites",
      [...(cache?.rewrites ?? []), ...dns.rewrites].map((rule) => entriesUnlike(rule, defaults.rewrite)),
      defaults.cluster.rewrites,
    ),
    ...unlessDefault("hostAliases", aliases, defaults.cluster.hostAliases),
    ...(hasIPv6 ? [] : filterAAAA(outside, asked, clusterDomain)),
    ...queryLog(outside, ofCluster),
  ];
}

/** If nothing answers any AAAA in its own way before, not those of some zone outside either. */
function filterAAAA(outside: readonly Fact[], { zones, facts }: Asked, clusterDomain: string): FoundValue[] {
  const first = (said: readonly Fact[]) => valuesOf(said, "template", "").find((value) => /\b(AAAA|ANY)\b/.test(value));
  const isFirst = zones.every((zone) => inZone(zone, clusterDomain) || (first(facts(zone)) ?? noAAAA) === noAAAA);
  return first(outside) === noAAAA && isFirst ? found("filterAAAA", true) : [];
}

/** One log, of all names that it is for, in the usual format. */
function queryLog(outside: readonly Fact[], ofCluster: readonly Fact[]): FoundValue[] {
  const [log, ...others] = valuesOf(outside, "log", "");
  const [, zones = "", classes] = /^([^{}"]+?)(?: \{ class ([a-z ]+) \})?$/.exec(log ?? "") ?? [];
  const isWhole = zones !== "" && others.length === 0 && valuesOf(ofCluster, "log", "").join("\n") === log;
  const named = zones.split(" ").filter((zone) => zone !== ".");
  if (!isWhole || !named.every(isDNSName)) return [];
  return found("queryLog", {
    ...(zones.split(" ").includes(".") ? {} : { zones: named }),
    ...(classes !== undefined && { classes: classes.split(" ") }),
  });
}

export function ttlProps(
  facts: readonly Fact[],
  usual: typeof defaults.cache | typeof defaults.clusterCache,
): FoundValue[] {
  return (["success", "denial"] as const).flatMap((name) => {
    // A least time may stand behind it, which ours has not.
    const seconds = wholeNumber(valuesOf(facts, "cache", `${name} ttl`)[0]?.split(" ")[0]);
    return seconds ? unlessDefault(`${name}.ttl`, seconds, usual[name].ttl) : [];
  });
}

/** What else a cache does for names outside the cluster. */
export function staleProps(outside: readonly Fact[]): FoundValue[] {
  const option = (name: string) => valuesOf(outside, "cache", name)[0];
  return [
    ...found("prefetch", prefetch(option("prefetch"))),
    ...found("serveStale", serveStale(option("serve_stale"), option("serve_stale_policy"))),
  ];
}

/** Capacities that somebody chose: CoreDNS's own would take memory that ours does not need. */
export function capacityProps(outside: readonly Fact[]): FoundValue[] {
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

export function serversIn(facts: readonly Fact[]): string[] {
  return valuesOf(facts, "forward", "to").flatMap((to) => to.split(" "));
}

/** What every cluster of kubeadm asks. */
const outsideDefault = "/etc/resolv.conf";

/** Plain servers, or servers over TLS that have one name. @returns Neither servers nor a reason if nobody chose any. */
function askable(facts: readonly Fact[]): { asked?: Pick<ZoneServers, "servers" | "tlsServerName">; why?: string } {
  const targets = serversIn(facts);
  const [name] = valuesOf(facts, "forward", "tls_servername");
  const servers = targets.map((target) => target.replace(/^tls:\/\//, ""));
  const overTLS = targets.filter((target) => target.startsWith("tls://")).length;
  const isTLS = overTLS > 0;
  const isKnown = servers.every((server) => parseServer(server) !== undefined);
  const faults: readonly [is: boolean, why: string][] = [
    [targets.some((to) => to.startsWith("https://")), "DNS over HTTPS has no key; to ask the same servers over TLS"],
    [isTLS && servers.some((to) => to.includes("%")), "there is one TLS name for all; to ask those of one provider"],
    [!isKnown && targets.join(" ") !== outsideDefault, "a cluster file has addresses of servers; to ask them"],
    [isTLS && overTLS < targets.length, "all servers are asked over TLS, or none; to ask those of one kind"],
    [isTLS && name === undefined, "TLS needs the name in the servers' certificate; to ask them over TLS"],
    // Where a server may have TLS all the same.
    [servers.some((to) => isTLS && parseServer(to)?.port === 53), "53 is plain DNS's port; to ask over TLS at another"],
  ];
  const [, why] = faults.find(([is]) => is) ?? [];
  if (why !== undefined) return { why };
  return isKnown && targets.length > 0
    ? { asked: { servers, ...(isTLS && name !== undefined && { tlsServerName: name }) } }
    : {};
}

const sharedZone = "CoreDNS answers names of Services in this zone first; to ask these servers instead";

/** Why servers that somebody chose are not in a cluster file, by the `forward` that names them. */
export function whyNotAsked({ facts, zones }: Asked): ReadonlyMap<object, string> {
  const reasons = [...zones.filter((zone) => zone !== "."), "."].flatMap((zone) => {
    const [forward] = facts(zone).filter(({ plugin, option }) => plugin === "forward" && option === "to");
    const isShared = forward?.directive.args[0] !== "." && facts(zone).some(({ plugin }) => plugin === "kubernetes");
    const { asked, why = asked && isShared ? sharedZone : undefined } = askable(facts(zone));
    if (!forward || why === undefined) return [];
    const keys = zone === "." ? "upstreamNameservers and upstreamTLSServerName" : `zones.${zone}.forward`;
    return [[forward.directive, `${why}, set ${keys}`] as const];
  });
  return new Map(reasons);
}

function upstreamProps(outside: readonly Fact[], cache: Answers | undefined): FoundValue[] {
  const { servers, tlsServerName } = askable(outside).asked ?? {};
  // In upstream's own node cache, nobody chose TCP.
  const chosen = outside.filter(({ option, where }) => option !== "force_tcp" || where !== cache?.source);
  return [
    ...found("upstreamNameservers", servers),
    ...found("upstreamTLSServerName", tlsServerName),
    ...unlessDefault("upstreamPolicy", policyOf(outside), defaults.cluster.upstreamPolicy),
    ...found("upstreamOptions", forwardOptions(chosen, servers)),
  ];
}

/** Older CoreDNS had others. */
function policyOf(facts: readonly Fact[]): string | undefined {
  const [upstreamPolicy] = valuesOf(facts, "forward", "policy");
  return isAccepted({ upstreamPolicy }) ? upstreamPolicy : undefined;
}

/** A zone with servers of its own: not the pod that asks, nor the cluster's DNS. */
function stubDomain(zone: string, facts: readonly Fact[], isCluster: Today["isCluster"]): FoundValue[] {
  const { asked } = askable(facts);
  const isOwn = !facts.some(({ plugin }) => plugin === "kubernetes" || plugin === "file");
  const isOutside = (server: string) =>
    addressRange(parseServer(server)?.address ?? "") !== "loopback" && !isCluster(server);
  if (!asked || !isOwn || !asked.servers.every(isOutside)) return [];
  const policy = policyOf(facts) ?? defaults.zoneServers.policy;
  const options = {
    ...(policy !== defaults.zoneServers.policy && { policy }),
    ...forwardOptions(facts, asked.servers),
  };
  return Object.keys(options).length === 0 && asked.tlsServerName === undefined
    ? [{ path: ["stubDomains", zone], value: asked.servers }]
    : [{ path: ["zones", zone, "forward"], value: { ...asked, ...options } }];
}

function forwardOptions(facts: readonly Fact[], servers: readonly string[] = []): ForwardOptions | undefined {
  const option = (name: string) => valuesOf(facts, "forward", name)[0];
  const isOverTLS = option("tls_servername") !== undefined;
  const protocol = option("force_tcp") !== undefined ? "tcp" : option("prefer_udp") !== undefined ? "udp" : undefined;
  const failover = (option("failover")?.split(" ") ?? []).filter((code) => code === "SERVFAIL" || code === "REFUSED");
  const maxFails = wholeNumber(option("max_fails"));
  const isChecked = maxFails !== 0;
  const check = isChecked ? option("health_check") : undefined;
  const options = entriesUnlike<ForwardOptions>(
    {
      protocol: isOverTLS ? undefined : protocol,
      failover: servers.length === 1 || failover.length === 0 ? undefined : failover,
      timeout: option("read_timeout"),
      maxFails,
      healthCheck: check === undefined ? undefined : healthCheck(check),
      failFast: isChecked && option("failfast_all_unhealthy_upstreams") !== undefined,
      expire: option("expire"),
    },
    defaults.forwardOptions,
  );
  return Object.keys(options).length > 0 ? options : undefined;
}

/** `DURATION [no_rec] [domain FQDN]`. */
function healthCheck(value: string): HealthCheck {
  const [interval = "", ...rest] = value.split(" ");
  const domain = rest.includes("domain") ? rest[rest.indexOf("domain") + 1] : undefined;
  return { interval, ...entriesUnlike({ domain, recursive: !rest.includes("no_rec") }, { recursive: true }) };
}

/** Zones of files; those below one have the same. */
function zoneFiles(dns: Answers): FoundValue[] {
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

/** Entries with names that a key may have: a file's are not checked, and may be others. None if no ConfigMap has room. */
function hostAliases(facts: readonly Fact[], domain: string): HostAlias[] {
  const entries = [...new Set(valuesOf(facts, "hosts", "entry"))].map((entry) => entry.split(" "));
  const known = entries.filter(([, name = ""]) => isDNSName(name) && aliasFault(name, domain) === undefined);
  const aliases = grouped(known, ([ip = ""]) => ip).map(([ip, same]) => ({
    ip,
    hostnames: same.map(([, name = ""]) => name),
  }));
  return sizeOf(aliases) > largestConfigMap / blocksWithAliases ? [] : aliases;
}

/** Blocks of ours that may have them, each in an indented line. */
const blocksWithAliases = 4;

function sizeOf(aliases: readonly HostAlias[]): number {
  return aliases.reduce((sum, { ip, hostnames }) => sum + [ip, ...hostnames].join(" ").length + 10, 0);
}

/** Why the entries of `hosts` are not in a cluster file, by the directive that has them. */
export function whyNoAliases({ facts }: Asked): ReadonlyMap<object, string> {
  const entries = facts(".").filter(({ plugin, option }) => plugin === "hosts" && option === "entry");
  const size = entries.reduce((sum, { value }) => sum + value.length + 1, 0);
  const most = largestConfigMap / blocksWithAliases;
  const why = `${size} characters are too many for hostAliases, which ${blocksWithAliases} server blocks have: a ConfigMap takes ${most} of each; serve them from a server of your own, and name it in stubDomains`;
  return new Map(size > most ? entries.map(({ directive }) => [directive, why]) : []);
}

function prefetch(value: string | undefined): object | undefined {
  const [amount, duration, percentage = ""] = value?.split(" ") ?? [];
  if (wholeNumber(amount) === undefined) return undefined;
  const times = { duration, percentage: Number(percentage.slice(0, -1)) };
  return { amount: Number(amount), ...entriesUnlike(times, defaults.prefetch) };
}

/** A time of 0 has no name in CoreDNS; ours has a default of its own, which is listed. */
function serveStale(value: string | undefined, policy: string | undefined): object | undefined {
  const [duration, refresh, ...times] = value?.split(" ") ?? [];
  if (duration === undefined) return undefined;
  const [timeout, responseTTL, failureRecheck] = (refresh === "verify" ? times : ["0s", ...times]).map((time) =>
    time === "0s" ? undefined : time,
  );
  const preferPositive = policy === undefined ? undefined : true;
  return entriesUnlike({ duration, refresh, timeout, responseTTL, failureRecheck, preferPositive }, {});
}
