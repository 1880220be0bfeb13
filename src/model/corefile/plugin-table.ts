import { address, anything, cidr, duration, expression, number, oneOf } from "./argument-kinds";
import { percentage, port, responseCode, server, ttlOrZone } from "./argument-kinds";
import { addition, type Arguments, ofBlock, type PluginRule, refused } from "./plugin-rule";

const none: Arguments = [0, 0];
const one: Arguments = [1, 1];
const optional: Arguments = [0, 1];
const some: Arguments = [1, Infinity];
const any: Arguments = [0, Infinity];

const otherListener = "is for listeners of other protocols, which the DNS Service does not have";
const allSockets = "is said for the socket that all blocks share";
const tls = { tls: [0, 3], tls_servername: one } as const;
const probed = "is ours: the kubelet's probes ask it";
const policies = { policy: [1, 1, oneOf("random", "round_robin", "sequential")] } as const;
const rewritten = ["name", "class", "type", "edns0", "ttl", "cname", "rcode"];
const lasting: Arguments = [1, 1, duration];
const counted: Arguments = [1, 1, number(0)];
const seconds: Arguments = [1, 1, number(0, 3600)];
const flags: Arguments = [2, Infinity, oneOf("set", "clear"), oneOf("aa", "ra", "rd")];
/** How many answers a cache keeps, and from how many seconds to how many. */
const kept: Arguments = [1, 3, number(0), number(1), number(0)];

/** Every plugin of the CoreDNS that we ship (v1.14.7: plugin.cfg; options: setup.go and README.md of each). */
export const plugins: { readonly [name: string]: PluginRule } = {
  root: addition(one, { readsFile: 0 }),
  metadata: addition(any),
  geoip: addition(one, { options: { "edns-subnet": none }, readsFile: 0 }),
  cancel: addition([0, 1, duration]),
  proxyproto: refused(allSockets, { options: { allow: any, default: one, udp_session_tracking: any } }),
  quic: refused(otherListener, { options: { max_streams: counted, worker_pool_size: counted } }),
  grpc_server: refused(otherListener, { options: { max_streams: counted, max_connections: counted } }),
  https: refused(otherListener, { options: { max_connections: counted } }),
  https3: refused(otherListener, { options: { max_streams: counted, max_connections: counted } }),
  timeouts: refused(allSockets, { options: { read: one, write: one, idle: one, maxtcpqueries: one } }),
  multisocket: refused(allSockets, { args: [0, 1, number(1)] }),
  reload: refused("is not needed: another Corefile replaces the pods", { args: [0, 2, duration] }),
  nsid: addition(any, { once: true }),
  bufsize: refused("is 1232 in every block: larger answers may be lost on their way", {
    args: [0, 1, number(512, 4096)],
  }),
  bind: refused("is set by the mode: where the cache listens and where packet rules lead must agree", {
    options: { except: some },
  }),
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
  ready: refused(probed, { args: [0, 1, port], options: { monitor: one }, once: true }),
  health: refused(probed, { args: [0, 1, port], options: { lameduck: lasting } }),
  pprof: refused("opens a port, on the node's network for a cache", { options: { block: optional }, once: true }),
  shed: addition(none, { once: true }),
  prometheus: refused("is ours: every block has it where it can be scraped", {
    args: [0, 1, port],
    options: { runtime_metrics: none, tls: any },
    once: true,
  }),
  errors: addition([0, 1, oneOf("stdout")], {
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
  tsig: refused("would refuse queries, which no pod signs", {
    options: { secret: [2, 2], secrets: one, require: some, require_opcode: some },
    once: true,
  }),
  rewrite: ofBlock([0, Infinity, oneOf("stop", "continue", ...rewritten), anything], {
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
  cache: ofBlock([0, Infinity, ttlOrZone, anything], {
    instead: "authoritativeDNS.cache, nodeLocalDNS.cache and nodeLocalDNS.outsideCache",
    once: true,
    options: {
      success: kept,
      denial: kept,
      prefetch: [1, 3, number(0), duration, percentage],
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
  tls: refused(otherListener, { options: { client_auth: one, keylog: one, acme: any } }),
  minimal: addition(none, { answersFrom: Infinity }),
  template: addition([2, Infinity, oneOf("in", "cs", "ch", "hs", "none", "any"), anything], {
    key: "filterAAAA",
    keyNeeds: [1, "AAAA"],
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
  secondary: addition(any, {
    options: { transfer: [2, Infinity, oneOf("from"), anything], catalog: any, fallthrough: any },
    repeats: true,
    answersFrom: 0,
  }),
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
  forward: ofBlock([2, 16], {
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
  erratic: refused("drops and delays answers on purpose", {
    options: { drop: optional, delay: [0, 2], truncate: optional, large: none },
  }),
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
