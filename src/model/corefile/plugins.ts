import { own } from "../syntax/mapping";
import {
  address,
  anything,
  cidr,
  duration,
  expression,
  number,
  oneOf,
  responseCode,
  server,
  type Kind,
} from "./argument-kinds";
import type { Directive } from "./corefile";
import { textOf } from "./line";
import { zonesOf } from "./server-key";

/** What is known of a plugin of CoreDNS, and whose it is in a Corefile of ours. */
export interface PluginRule {
  /** `addition`: any block may have it. `block`: only one that an addition brings. `refused`: none may. */
  readonly whose: "addition" | "block" | "refused";
  /** Of `block`: the keys that say the same in blocks of ours, if any. Of `refused`: why none may have it. */
  readonly instead?: string;
  /** Of `addition`: the key that says the same; blocks of ours have one of the two. */
  readonly key?: "dns64" | "dnstap" | "filterAAAA" | "queryLog";
  /** How many arguments it takes. */
  readonly args: Arguments;
  /** Its options, with the arguments of each. */
  readonly options: { readonly [name: string]: Arguments };
  /** Whether a block may have it more than once. */
  readonly repeats?: true;
  /** Whether CoreDNS refuses a Corefile with two in a block (`plugin.ErrOnce`): of others without `repeats`, one counts. */
  readonly once?: true;
  /** Whether it takes the place of ours, which says nothing but its name. */
  readonly replaces?: true;
  /**
   * Which names it answers, or answers otherwise: those of the zones among its arguments, from this one on, or of its
   * block if there are none. Without it, no answer changes.
   */
  readonly answersFrom?: number;
  /** A file that it reads if it has this argument, from 0, or the option. */
  readonly readsFile?: number | string;
  /** Whether CoreDNS passes its options over if it has an argument. */
  readonly argsOrOptions?: true;
  /** The words that stand before a regular expression. */
  readonly beforeExpression?: readonly (readonly string[])[];
  /** How a rule finds this part of a query, if it says so. */
  readonly matches?: { readonly part: string; readonly accepted: readonly string[] };
  /** Whether an option may also be an address with its names. */
  readonly hasEntries?: true;
  /** Whether its first argument is a zone, and the others are servers that it asks. */
  readonly asksServers?: true;
  /** Another plugin, without which in its block it does not start. */
  readonly needs?: string;
  /** Whether it asks the API server, which the pods of the cache may not. */
  readonly asksApi?: true;
  /** What it turns off. */
  readonly note?: string;
  /** An option whose value nobody else may know. */
  readonly secret?: string;
  /** Whether what it does depends on the client's address, which a node cache hides from CoreDNS. */
  readonly asksWho?: true;
}

/** The fewest and the most arguments, and what they must be: the last kind is also of those after it. */
export type Arguments = readonly [least: number, most: number, ...kinds: readonly Kind[]];

const none: Arguments = [0, 0];
const one: Arguments = [1, 1];
const optional: Arguments = [0, 1];
const some: Arguments = [1, Infinity];
const any: Arguments = [0, Infinity];

type Facts = Omit<PluginRule, "whose" | "args" | "options"> & Partial<Pick<PluginRule, "args" | "options">>;

function addition(args: Arguments, facts: Facts = {}): PluginRule {
  return { whose: "addition", args, options: {}, ...facts };
}

function ofBlock(args: Arguments, facts: Facts = {}): PluginRule {
  return { whose: "block", args, options: {}, ...facts };
}

function refused(instead: string, facts: Facts = {}): PluginRule {
  return { whose: "refused", instead, args: any, options: {}, ...facts };
}

const otherListener = "is for listeners of other protocols, which the DNS Service does not have";
const allSockets = "is said for the socket that all blocks share";
const tls = { tls: [0, 3], tls_servername: one } as const;
const policies = { policy: [1, 1, oneOf("random", "round_robin", "sequential")] } as const;
const lasting: Arguments = [1, 1, duration];
const counted: Arguments = [1, 1, number(0)];
const seconds: Arguments = [1, 1, number(0, 3600)];
const flags: Arguments = [2, Infinity, oneOf("set", "clear"), anything];
/** How many answers a cache keeps, and from how many seconds to how many. */
const kept: Arguments = [1, 3, number(0), number(1), number(0)];

/** Those of k8s-dns-node-cache (kubernetes/dns cmd/node-cache/main.go) that an addition may have. */
export const nodeCachePlugins: readonly string[] = [
  "cache",
  "debug",
  "dns64",
  "errors",
  "forward",
  "hosts",
  "loadbalance",
  "log",
  "loop",
  "rewrite",
  "template",
  "trace",
  "whoami",
];

/** Every plugin of the CoreDNS that we ship (v1.14.7: plugin.cfg; options: setup.go and README.md of each). */
export const plugins: { readonly [name: string]: PluginRule } = {
  root: addition(one, { readsFile: 0 }),
  metadata: addition(any),
  geoip: addition(one, { options: { "edns-subnet": none }, readsFile: 0 }),
  cancel: addition([0, 1, duration]),
  proxyproto: refused(allSockets),
  quic: refused(otherListener),
  grpc_server: refused(otherListener),
  https: refused(otherListener),
  https3: refused(otherListener),
  timeouts: refused(allSockets),
  multisocket: refused(allSockets),
  reload: refused("is not needed: another Corefile replaces the pods"),
  nsid: addition(any, { once: true }),
  bufsize: refused("is 1232 in every block: larger answers may be lost on their way"),
  bind: refused("is set by the mode: where the cache listens and where packet rules lead must agree"),
  debug: addition(none, { note: "a panic ends CoreDNS, and not only one answer" }),
  trace: addition([0, 2], {
    options: {
      every: counted,
      service: one,
      client_server: optional,
      datadog_analytics_rate: one,
      zipkin_max_backlog_size: counted,
      zipkin_max_batch_size: counted,
      zipkin_max_batch_interval: lasting,
    },
  }),
  ready: refused("is ours: the kubelet's probes ask it", { once: true }),
  health: refused("is ours: the kubelet's probes ask it"),
  pprof: refused("opens a port, on the node's network for a cache", { once: true }),
  shed: addition(none, { once: true }),
  prometheus: refused("is ours: every block has it where it can be scraped", { once: true }),
  errors: addition(none, {
    options: {
      stacktrace: none,
      consolidate: [2, 4, duration, expression, oneOf("warning", "error", "info", "debug", "show_first")],
    },
    replaces: true,
    once: true,
  }),
  log: addition(any, {
    key: "queryLog",
    options: { class: [1, Infinity, oneOf("success", "denial", "error", "all")] },
    repeats: true,
  }),
  dnstap: addition([1, 4], {
    key: "dnstap",
    options: { identity: one, version: one, extra: one, skipverify: none, tls: [0, 3] },
    repeats: true,
  }),
  local: addition(none, { options: { localhost_prefix: [1, 1, oneOf("on", "off")] }, answersFrom: 0 }),
  dns64: addition(optional, {
    key: "dns64",
    options: { prefix: [1, 1, cidr], translate_all: none, allow_ipv4: none },
    argsOrOptions: true,
    answersFrom: Infinity,
  }),
  any: addition(none, { answersFrom: Infinity }),
  chaos: addition(any, { answersFrom: Infinity }),
  loadbalance: addition([0, 2, oneOf("round_robin", "weighted"), anything], {
    options: { reload: lasting, prefer: [1, Infinity, cidr] },
    replaces: true,
    readsFile: 1,
  }),
  tsig: refused("would refuse queries, which no pod signs", { once: true }),
  rewrite: ofBlock(any, {
    instead: "rewrites",
    // A rule in braces: each line is a part of it (rewrite/setup.go).
    options: { name: any, class: any, type: any, ttl: any, edns0: any, cname: any, rcode: any, answer: any },
    beforeExpression: [["regex"], ["answer", "name"], ["answer", "value"]],
    // Two names alone are exact (rewrite/name.go, newNameRule).
    matches: { part: "name", accepted: ["exact", "prefix", "suffix", "substring", "regex"] },
    repeats: true,
    answersFrom: Infinity,
  }),
  autopath: addition(some, {
    answersFrom: Infinity,
    note: "it has an effect only where pods ask CoreDNS itself, and authoritativeDNS.pods is verified: a node cache hides the pods",
  }),
  acl: addition(any, {
    options: { allow: any, block: any, filter: any, drop: any },
    repeats: true,
    answersFrom: 0,
    asksWho: true,
  }),
  cache: ofBlock(any, {
    instead: "authoritativeDNS.cache, nodeLocalDNS.cache and nodeLocalDNS.outsideCache",
    once: true,
    options: {
      success: kept,
      denial: kept,
      prefetch: [1, 3, number(0), duration, anything],
      serve_stale: [0, 5, duration, oneOf("immediate", "verify"), duration],
      serve_stale_policy: [1, 1, oneOf("prefer_positive")],
      servfail: lasting,
      disable: [1, Infinity, oneOf("success", "denial"), anything],
      keepttl: none,
    },
  }),
  header: addition(none, { options: { query: flags, response: flags }, answersFrom: Infinity }),
  dnssec: addition(any, {
    once: true,
    options: { key: some, cache_capacity: counted },
    answersFrom: 0,
    readsFile: "key",
  }),
  tls: refused(otherListener),
  minimal: addition(none, { answersFrom: Infinity }),
  template: addition([2, Infinity], {
    key: "filterAAAA",
    options: {
      match: [1, Infinity, expression],
      answer: some,
      additional: some,
      authority: some,
      rcode: [1, 1, responseCode],
      ederror: [1, 2, number(0, 65_535), anything],
      fallthrough: any,
      upstream: any,
    },
    repeats: true,
    answersFrom: 2,
  }),
  transfer: ofBlock(any, { options: { to: some, source: one }, repeats: true }),
  hosts: ofBlock(any, {
    instead: "hostAliases",
    once: true,
    hasEntries: true,
    options: {
      fallthrough: any,
      fallthrough_unsupported: none,
      no_reverse: none,
      ttl: [1, 1, number(1, 65_535)],
      reload: lasting,
    },
    answersFrom: 1,
    readsFile: 0,
  }),
  route53: addition(any, {
    options: {
      aws_access_key: [2, 2],
      aws_endpoint: one,
      upstream: any,
      credentials: [1, 2],
      fallthrough: any,
      refresh: lasting,
    },
    secret: "aws_access_key",
    repeats: true,
    answersFrom: Infinity,
  }),
  azure: addition(some, {
    options: {
      subscription: one,
      tenant: one,
      client: one,
      secret: one,
      environment: one,
      fallthrough: any,
      access: [1, 1, oneOf("public", "private")],
    },
    secret: "secret",
    repeats: true,
    answersFrom: Infinity,
  }),
  clouddns: addition(any, {
    options: { upstream: any, credentials: one, fallthrough: any },
    repeats: true,
    answersFrom: Infinity,
    readsFile: "credentials",
  }),
  k8s_external: addition(any, {
    options: { ttl: seconds, apex: one, headless: none, fallthrough: any },
    answersFrom: 0,
    needs: "kubernetes",
  }),
  kubernetes: ofBlock(any, {
    instead: "clusterDomain, authoritativeDNS.pods and authoritativeDNS.ttl",
    once: true,
    asksApi: true,
    options: {
      endpoint: one,
      tls: [3, 3],
      kubeconfig: [1, 2],
      endpoint_pod_names: none,
      pods: [1, 1, oneOf("disabled", "verified", "insecure")],
      namespaces: some,
      labels: some,
      namespace_labels: some,
      fallthrough: any,
      ttl: seconds,
      noendpoints: none,
      zonal: none,
      ignore: [1, 1, oneOf("empty_service")],
      multicluster: some,
      startup_timeout: lasting,
      apiserver_qps: one,
      apiserver_burst: counted,
      apiserver_max_inflight: counted,
    },
    readsFile: "kubeconfig",
    answersFrom: 0,
  }),
  file: ofBlock(some, {
    instead: "zones",
    options: { fallthrough: any, reload: lasting, reload_by_mtime: none, upstream: any },
    repeats: true,
    answersFrom: 1,
    readsFile: 0,
  }),
  auto: ofBlock(any, {
    instead: "zones",
    options: { directory: [1, 3], reload: lasting, upstream: any },
    repeats: true,
    answersFrom: 0,
    readsFile: "directory",
  }),
  secondary: addition(any, { options: { transfer: [2, 2], fallthrough: any }, repeats: true, answersFrom: 0 }),
  etcd: addition(any, {
    options: {
      stubzones: none,
      fallthrough: any,
      debug: none,
      path: one,
      endpoint: some,
      upstream: any,
      tls: [0, 3],
      credentials: [2, 2],
      "min-lease-ttl": counted,
      "max-lease-ttl": counted,
    },
    readsFile: "tls",
    secret: "credentials",
    answersFrom: 0,
  }),
  loop: ofBlock(none, { once: true }),
  forward: ofBlock([2, Infinity], {
    asksServers: true,
    instead: "upstreamNameservers, upstreamOptions, stubDomains and zones",
    options: {
      ...tls,
      ...policies,
      except: some,
      max_fails: counted,
      max_connect_attempts: counted,
      health_check: [1, 4, duration, anything],
      force_tcp: none,
      prefer_udp: none,
      expire: lasting,
      max_age: lasting,
      max_idle_conns: counted,
      read_timeout: lasting,
      doh_method: [1, 1, oneOf("get", "post")],
      max_concurrent: counted,
      next: [1, Infinity, responseCode],
      next_on_nodata: none,
      failfast_all_unhealthy_upstreams: none,
      failover: [1, Infinity, responseCode],
      resolver: [1, Infinity, server],
      source_address: [1, 1, address],
    },
    repeats: true,
    answersFrom: Infinity,
    readsFile: "tls",
  }),
  grpc: ofBlock([2, Infinity], {
    asksServers: true,
    instead: "upstreamNameservers, stubDomains and zones",
    once: true,
    options: { ...tls, ...policies, except: some, fallthrough: any },
    answersFrom: Infinity,
    readsFile: "tls",
  }),
  erratic: refused("drops and delays answers on purpose"),
  whoami: ofBlock(none, { answersFrom: Infinity }),
  on: refused("runs commands in the pod"),
  sign: ofBlock(some, { instead: "zones", options: { key: some, directory: one }, readsFile: 0 }),
  view: ofBlock(one, { options: { expr: some }, asksWho: true, once: true }),
  nomad: addition(any, {
    options: { address: some, filter: one, token: one, ttl: seconds },
    secret: "token",
    answersFrom: 0,
  }),
};

/** What is known of a plugin; undefined if CoreDNS has none of this name. */
export function pluginRule(name: string): PluginRule | undefined {
  return own(plugins, name);
}

/** The key that says what a plugin says, whatever else a plugin of its name may say. */
export function keyFor({ name, args }: Directive): PluginRule["key"] {
  const key = pluginRule(name)?.key;
  return key === "filterAAAA" && String(args[1]).toUpperCase() !== "AAAA" ? undefined : key;
}

/** The zones that a plugin names; none: it is for those of its block. */
export function zonesSaid({ name, args }: Directive): string[] {
  const { asksServers, answersFrom = Infinity } = pluginRule(name) ?? {};
  const zones = asksServers ? args.slice(0, 1) : args.slice(answersFrom);
  return zones.map(textOf).flatMap(zonesOf);
}
