import { answeredAlone, type Component, components, inCorefile, pluginsIn, readAdditions } from "../corefile/additions";
import { forwardOptionsSince } from "../corefile/forward";
import { pluginRule } from "../corefile/plugins";
import { nameOfKey, zonesIn } from "../corefile/server-key";
import { zoneOfRewrite } from "../corefile/rewrites";
import type { FullProps } from "../full-props/fill-in";
import { coreDnsVersionIn, isBefore, nodeCacheCoreDns } from "../images";
import { localRedirectFaults } from "../cilium-version";
import { inDocs } from "../docs";
import { selectorText } from "../kubernetes/selectors";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { ForwardOptions } from "../props/forward-options";
import { proxyMode } from "../query-path/proxy-modes";
import type { QueryPath } from "../query-path/query-path";
import { familyOf, parseServer } from "../syntax/addresses";
import { keysIn } from "../syntax/mapping";
import { inZone } from "../syntax/names";
import { isMore, parseQuantity } from "../syntax/quantity";
import { dense, type Sparse } from "../syntax/sparse";
import { queryLogNote } from "./query-log";
import { resilienceNotes } from "./resilience";
import { admissionNotes } from "./admission-notes";
import type { Memory } from "../size/memory";

/** What a valid description does not provide although users may expect it. Shown, never refused. */
export function notesOf(
  props: ClusterDnsProps,
  said: FullProps,
  path: QueryPath | undefined,
  today: string | undefined,
  needs: Needs,
): string[] {
  return dense([
    cacheNotes(props, said, path),
    quantityNotes(props),
    portNotes(said),
    plainNotes(said),
    twiceNotes(said),
    forwardOptionNotes(props, said, path),
    clusterDomainNote(said),
    memoryNotes(props, needs),
    admissionNotes(said),
    shutOutNote(props),
    runbookNote(said),
    additionNotes(said),
    queryLogNote(said, today),
    resilienceNotes(props, path),
    openedNotes(said),
  ]);
}

type Needs = { readonly [component in Component]: Memory | undefined };

function cacheNotes(props: ClusterDnsProps, said: FullProps, path: QueryPath | undefined): Sparse<string> {
  if (said.authoritativeDNS.kind === "Existing" && path?.state !== "enabled")
    return ["no authoritative DNS and no node cache: the options for how they answer have no effect"];
  if (path?.state === "enabled")
    return [
      path.linkMadeBy === "node-cache" && said.nodeLocalDNS.engine === undefined && withoutFailover(path),
      onlyInCache(props),
      askedForAll(said),
      hiddenClients(said),
      unknownCilium(props, path),
      props.authoritativeDNS?.service === undefined && assumedService(said, path),
    ];
  const why = whyNoCache(props, path);
  return why && `no node cache: ${why}`;
}

/** Why there is no cache although nothing turns it off; undefined if there is one, or something does. */
export function whyNoCache(props: ClusterDnsProps, path: QueryPath | undefined): string | undefined {
  if (path?.state === "enabled" || props.nodeLocalDNS !== undefined) return undefined;
  return proxyMode(props).interceptions.length === 0
    ? `kubeProxyMode ${props.kubeProxyMode} without cni: cilium does not say what handles Services`
    : "clusterDNS has two IP families, and upstream's node-cache serves one; agentImage gives a cache for both (or set nodeLocalDNS: {state: disabled})";
}

/** No public name ends in these (RFC 6761, RFC 6762; ICANN's resolution 2024.07.29.06). */
const privateDomains = ["local", "internal", "test", "example", "invalid", "localhost"];

/** A public top-level domain would be gone for pods. */
function clusterDomainNote({ clusterDomain }: FullProps): string | undefined {
  if (clusterDomain.includes(".") || privateDomains.includes(clusterDomain)) return undefined;
  return `clusterDomain ${clusterDomain}: the cluster answers every name that ends in .${clusterDomain}, so pods reach nothing outside by such a name; unless nothing there has one, choose a domain of your own, such as cluster.local`;
}

/** The Service of a DNS that is not ours, where something goes by more of it than its address. */
function assumedService({ authoritativeDNS, nodeLocalDNS, ...said }: FullProps, path: QueryPath): string | undefined {
  if (authoritativeDNS.kind !== "Existing") return undefined;
  const isByChain =
    proxyMode(said).pastCache[nodeLocalDNS.packetFilter] === "kube-proxy-chain" && path.interception === "link-local";
  if (!isByChain && path.clusterServers !== "upstream-service") return undefined;
  const { namespace, name, selector, targetPort, portNames } = authoritativeDNS.service;
  return `the cache reaches the cluster's own DNS only if it is Service ${namespace}/${name}, with ports ${portNames.udp} and ${portNames.tcp}, and pods with ${selectorText(selector)} at port ${targetPort}; describe another, such as RKE2's or OpenShift's, in authoritativeDNS.service`;
}

/** Promises that an addition turns off. */
function additionNotes(cluster: FullProps): string[] {
  return components.flatMap((component) => {
    const said = pluginsIn(readAdditions(cluster[component].corefile)).map(({ name }) => name);
    return [...new Set(said)].flatMap((name) => {
      const note = pluginRule(name)?.note;
      return note === undefined ? [] : [`${component}.corefile: ${name}: ${note}`];
    });
  });
}

/** Blocks that answer names of the cluster before hard isolation checks who asks. */
function openedNotes({ tenancy, authoritativeDNS, clusterDomain }: FullProps): string[] {
  if (tenancy?.isolation !== "hard") return [];
  const { blocks } = readAdditions(authoritativeDNS.corefile);
  return blocks
    .filter(
      (block) =>
        zonesIn(block).some((zone) => inZone(zone, clusterDomain)) ||
        block.plugins.some(({ name }) => name === "kubernetes"),
    )
    .map(
      ({ keys }) =>
        `authoritativeDNS.corefile.blocks (${keys.map(nameOfKey).join(" ")}): answers pods of every tenant; tenancy.isolation: hard checks only names that blocks of ours answer`,
    );
}

/** Additions to CoreDNS that go by a client's address, where it sees that of the cache. */
function hiddenClients({ authoritativeDNS, nodeLocalDNS }: FullProps): string[] {
  return answeredAlone(authoritativeDNS.corefile, nodeLocalDNS.corefile).flatMap((each) => {
    const plugin = each.plugins.find((name) => pluginRule(name)?.asksWho);
    if (plugin === undefined) return [];
    return `${inCorefile("authoritativeDNS", each)}: ${plugin} sees a node's address in place of its pods', because the node cache asks; write the same into nodeLocalDNS.corefile, which sees pods`;
  });
}

/** A fault of Cilium is not refused where its version is not known. */
function unknownCilium({ ciliumVersion }: ClusterDnsProps, { interception }: QueryPath): string | undefined {
  if (interception !== "local-redirect" || ciliumVersion !== undefined) return undefined;
  const { since, fixed, what } = localRedirectFaults;
  return `with Cilium from ${since}, ${what}: set ciliumVersion, and versions before ${fixed} are refused`;
}

/** What costs more than it seems to: a rule, or an addition, for any name. */
function askedForAll({ rewrites, authoritativeDNS, nodeLocalDNS }: FullProps): string | undefined {
  const i = rewrites.findIndex((each) => each.from !== undefined && zoneOfRewrite(each) === undefined);
  const addition = answeredAlone(authoritativeDNS.corefile, nodeLocalDNS.corefile).find(
    ({ part, zones }) => part !== "clusterNames" && zones.includes(undefined),
  );
  const what = i >= 0 ? `rewrites[${i}]` : addition && inCorefile("authoritativeDNS", addition);
  if (what === undefined || nodeLocalDNS.askClusterDNS === "all") return undefined;
  return `caches ask CoreDNS for all names outside, because ${what} may be for any of them (${inDocs("special-names")})${i >= 0 ? "; exact names, or a suffix that begins with a dot, are asked alone" : ""}`;
}

/** What the cluster's DNS does not get from us: failover changes these answers. */
function onlyInCache(props: ClusterDnsProps): string | undefined {
  const { authoritativeDNS, nodeLocalDNS } = props;
  const isExisting = authoritativeDNS?.kind === "Existing";
  const keys = isExisting
    ? ([
        "upstreamNameservers",
        "upstreamTLSServerName",
        "upstreamPolicy",
        "upstreamOptions",
        "stubDomains",
        "zones",
        "hostAliases",
        "filterAAAA",
        "dns64",
        "queryLog",
        "dnstap",
      ] as const)
    : [];
  const given = [
    ...keys.filter((key) => props[key] !== undefined),
    ...answeredAlone(nodeLocalDNS?.corefile, authoritativeDNS?.corefile).map((each) =>
      inCorefile("nodeLocalDNS", each),
    ),
  ];
  if (given.length === 0) return undefined;
  return `only the node cache has ${given.join(", ")}: whoever asks past it, as on a node without it or while it is down, asks ${isExisting ? "the cluster's own DNS; set the same there" : "CoreDNS; write the same into authoritativeDNS.corefile"}`;
}

function withoutFailover({ interception }: QueryPath): string {
  const when =
    interception === "link-local"
      ? "while one is replaced, restarts or hangs"
      : "while a killed one restarts, or one hangs";
  return `every node has upstream's node-cache, without failover: ${when}, its pods have no DNS; with agentImage the cluster DNS answers them (${inDocs("failover")}). To keep node-cache, set nodeLocalDNS: {engine: node-cache}`;
}

const billion = 10n ** 9n;

/** Quantities without their unit: no DNS server runs in so little memory or needs so many CPUs. */
function quantityNotes(props: ClusterDnsProps): string[] {
  const quantities = components.flatMap((component) =>
    (["requests", "limits"] as const).flatMap((kind) =>
      Object.entries(props[component]?.resources?.[kind] ?? {}).map(
        ([name, text]) => [`${component}.resources.${kind}.${name}`, name, text] as const,
      ),
    ),
  );
  return quantities.flatMap(([path, name, text]) => {
    const nanos = parseQuantity(text)?.nanos ?? 0n;
    const isPlain = /^\d+$/.test(String(text));
    const inUnit = (unit: string) => (isPlain ? `; ${text}${unit} was probably meant` : "");
    if (name === "cpu")
      return nanos >= 20n * billion ? [`${path}: ${text} is ${nanos / billion} whole CPUs${inUnit("m")}`] : [];
    return nanos > 0n && nanos < 1024n * 1024n * billion
      ? [`${path}: ${text} is ${nanos / billion} bytes${inUnit("Mi")}`]
      : [];
  });
}

/** The last part of an IPv6 address in place of a port, which it cannot have without brackets. */
function portNotes({ upstreamNameservers = [], stubDomains }: FullProps): string[] {
  return [...upstreamNameservers, ...Object.values(stubDomains).flat()].flatMap((server) => {
    const [, address = "", port] = /^([^[]*:.*):(53|853|5353)$/.exec(server) ?? [];
    return familyOf(address) === "IPv6"
      ? [`an IPv6 address without a port: ${server}; "[${address}]:${port}" was probably meant`]
      : [];
  });
}

/** Servers that are asked without TLS at the port of DNS over TLS. */
function plainNotes({ upstreamNameservers = [], upstreamTLSServerName, stubDomains }: FullProps): string[] {
  const plain = (key: string, servers: readonly string[], remedy: string) =>
    servers
      .filter((server) => parseServer(server)?.port === 853)
      .map(
        (server) =>
          `${key}: ${server} is asked without TLS, which servers at port 853 (RFC 7858) do not answer; ${remedy}`,
      );
  const upstream = upstreamTLSServerName === undefined ? upstreamNameservers : [];
  return [
    ...plain("upstreamNameservers", upstream, "set upstreamTLSServerName, or leave the port out"),
    ...plain("stubDomains", Object.values(stubDomains).flat(), "write the zone into zones, with forward.tlsServerName"),
  ];
}

function twiceNotes({ upstreamNameservers = [], stubDomains, zones }: FullProps): string[] {
  const ofZones = Object.entries(zones).map(
    ([zone, { forward }]) => [`zones.${zone}`, forward?.servers ?? []] as const,
  );
  const ofDomains = Object.entries(stubDomains).map(([zone, servers]) => [`stubDomains.${zone}`, servers] as const);
  return [["upstreamNameservers", upstreamNameservers] as const, ...ofDomains, ...ofZones].flatMap(([key, servers]) => {
    const asked = servers.map(parseServer).map((server) => JSON.stringify([server?.address, server?.port ?? 53]));
    return servers.flatMap((server, i) =>
      asked.indexOf(asked[i] ?? "") < i ? `${key}: ${server} is there twice, and gets twice the queries; keep one` : [],
    );
  });
}

const sinceSome = {
  failFast: "failfast_all_unhealthy_upstreams",
  failover: "failover",
  timeout: "read_timeout",
} as const satisfies { readonly [key in keyof ForwardOptions]: keyof typeof forwardOptionsSince };

/** Options of servers that a CoreDNS does not know, and ours leaves out. */
function forwardOptionNotes(
  { upstreamOptions, zones = {} }: ClusterDnsProps,
  { authoritativeDNS, nodeLocalDNS }: FullProps,
  path: QueryPath | undefined,
): string[] {
  const written = [upstreamOptions, ...Object.values(zones).map(({ forward }) => forward)];
  const versions = {
    authoritativeDNS: authoritativeDNS.kind === "Existing" ? undefined : coreDnsVersionIn(authoritativeDNS.image),
    nodeLocalDNS: path?.engine === "node-cache" ? nodeCacheCoreDns : coreDnsVersionIn(nodeLocalDNS.image ?? ""),
  };
  return components.flatMap((component) =>
    keysIn(sinceSome)
      .filter((key) => written.some((each) => each?.[key] !== undefined && each[key] !== false))
      .filter((key) => isBefore(versions[component], forwardOptionsSince[sinceSome[key]]))
      .map(
        (key) =>
          `${component}: ${key} is left out, because CoreDNS ${versions[component]} does not know it; CoreDNS ${forwardOptionsSince[sinceSome[key]]} does`,
      ),
  );
}

function memoryNotes(props: ClusterDnsProps, needs: Needs): string[] {
  return components.flatMap((component) => {
    const limit = props[component]?.resources?.limits?.["memory"];
    const needed = needs[component]?.limit;
    if (!isMore(needed, limit)) return [];
    return `${component}.resources.limits.memory ${limit} is less than the worst case, ${needed}; see ${inDocs("memory")}`;
  });
}

/** Network policies that shut out the Prometheus for which there are monitors. */
function shutOutNote({ networkPolicies, monitoring }: ClusterDnsProps): string | undefined {
  const admitted = typeof networkPolicies === "object" ? networkPolicies.metricsNamespaces : undefined;
  if (!admitted || !monitoring || monitoring.monitors === "annotations") return undefined;
  const { namespace } = monitoring;
  const what = "metrics of CoreDNS and of the webhook, and alerts such as CoreDNSDown fire although DNS is well";
  if (admitted.length === 0)
    return `networkPolicies.metricsNamespaces is empty: unless Prometheus is on the hosts' network, it cannot read the ${what}; name its namespace`;
  if (namespace === undefined || admitted.includes(namespace)) return undefined;
  return `networkPolicies.metricsNamespaces does not name ${namespace}, the namespace of monitoring: a Prometheus there cannot read the ${what}; name it too if Prometheus is there`;
}

/** Until the package has a repository, its default leads nowhere. */
function runbookNote({ monitoring }: FullProps): string | undefined {
  if (!monitoring?.prometheusRule || !monitoring.runbookBaseURL.includes("/OWNER/")) return undefined;
  return `alerts link to ${monitoring.runbookBaseURL}, where there is nothing: set monitoring.runbookBaseURL to where your copy of docs/runbooks of cdk8s-cluster-dns is`;
}
