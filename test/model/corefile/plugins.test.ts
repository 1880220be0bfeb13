import { expect, it } from "vitest";
import { argumentFault } from "../../../src/model/check/corefile-additions";
import { plugin, variable } from "../../../src/model/corefile/corefile";
import { lineOf } from "../../../src/model/corefile/line";
import { parseCorefile } from "../../../src/model/corefile/parse";
import type { PluginRule } from "../../../src/model/corefile/plugin-rule";
import { plugins } from "../../../src/model/corefile/plugin-table";
import { keyFor, nodeCachePlugins, pluginRule } from "../../../src/model/corefile/plugins";
import { agentImage, problemsOf } from "../check/problems";
import { pluginsOfNodeCache } from "./plugins-of-node-cache";

/** Every plugin that a block of its own may have, with every option, as README.md of each has it; `; ` is a line. */
const everything = `
  root /zones
  metadata a.example
  geoip /db.mmdb { edns-subnet }
  cancel 1s
  nsid a
  debug
  trace zipkin zipkin:9411 { every 2; service a; client_server; datadog_analytics_rate 1; zipkin_max_backlog_size 1; zipkin_max_batch_size 1; zipkin_max_batch_interval 1s }
  shed
  errors { stacktrace; consolidate 5m ".*" warning }
  log a.example { class error denial }
  log
  dnstap tcp://10.1.1.1:6000 full { identity a; version b; extra c; skipverify; tls a b c }
  dnstap /dnstap.sock
  local { localhost_prefix on }
  dns64 { prefix 64:ff9b::/96; translate_all; allow_ipv4 }
  any
  chaos v1 a b
  loadbalance weighted /weights { reload 10s; prefer 10.0.0.0/8 }
  rewrite name a.example b.example
  rewrite stop { name regex a b; answer name b a; class IN CH; type ANY HINFO; ttl a 60; edns0 local set 0xffee a; cname a b; rcode a NXDOMAIN NOERROR }
  autopath @kubernetes
  acl a.example { allow net 10.0.0.0/8; block type ANY; filter; drop }
  acl { drop net * }
  cache 30 a.example { success 9984 30 5; denial 9984 5 1; prefetch 1 1m 10%; serve_stale 1h verify 1s 0s 0s; serve_stale_policy prefer_positive; servfail 5s; disable success a.example; keepttl }
  header { query set aa; response clear ra rd }
  dnssec a.example { key file /key; cache_capacity 100 }
  minimal
  template IN A a.example { match .*; answer "{{ .Name }} 60 IN A 10.1.1.1"; additional a; authority b; rcode NOERROR; ederror 21 a; fallthrough; upstream }
  template ANY ANY b.example
  transfer a.example { to *; source 10.1.1.1 }
  transfer b.example { to 10.1.1.1 }
  hosts /hosts a.example { 10.1.1.1 b.example; fallthrough; fallthrough_unsupported; no_reverse; ttl 60; reload 5s }
  route53 a.example:Z1 { aws_access_key a b; aws_endpoint c; upstream; credentials a b; fallthrough; refresh 1m }
  route53 b.example:Z2
  azure a:a.example { subscription a; tenant b; client c; secret d; environment e; fallthrough; access private }
  azure b:b.example
  clouddns a.example:p:z { upstream; credentials /c; fallthrough }
  clouddns b.example:p:z
  k8s_external a.example { ttl 5; apex dns; headless; fallthrough }
  kubernetes b.local { endpoint https://10.1.1.1; tls a b c; kubeconfig /k a; endpoint_pod_names; pods verified; namespaces a b; labels a; namespace_labels b; fallthrough; ttl 5; noendpoints; zonal; ignore empty_service; multicluster clusterset.local; startup_timeout 5s; apiserver_qps 1; apiserver_burst 1; apiserver_max_inflight 1 }
  file /db a.example { fallthrough; reload 0; reload_by_mtime; upstream }
  file /db b.example
  auto a.example { directory /zones (.*) {1}; reload 1m; upstream }
  auto b.example
  secondary a.example { transfer from 10.1.1.1; fallthrough }
  secondary b.example
  etcd a.example { stubzones; fallthrough; debug; path /a; endpoint http://10.1.1.1:2379; upstream; tls a b c; credentials a b; min-lease-ttl 5; max-lease-ttl 5 }
  loop
  forward a.example 10.1.1.1 { tls; tls_servername a; policy random; except b.a.example; max_fails 1; max_connect_attempts 1; health_check 1s no_rec domain a; force_tcp; prefer_udp; expire 10s; max_age 10s; max_idle_conns 1; read_timeout 1s; doh_method GET; max_concurrent 1; next NXDOMAIN; next_on_nodata; failfast_all_unhealthy_upstreams; failover SERVFAIL; resolver 10.1.1.2; source_address 10.1.1.3 }
  forward b.example 10.1.1.1
  grpc c.example 10.1.1.1 { tls a b c; tls_servername a; policy random; except b.c.example; fallthrough }
  whoami
  sign /db a.example { key file /key; directory /d }
  view a { expr true }
  nomad a.example { address http://10.1.1.1:4646; filter a; token b; ttl 5 }
`;

const ofBlock = everything
  .replaceAll(/ \{ (.+) \}$/gm, (_, options: string) => ` {\n${options.replaceAll("; ", "\n")}\n}`)
  .trim();

it("a block of its own may have every plugin that is not refused, with every option", () => {
  const said = new Set(everything.match(/(?<=^ {2})\w+/gm));
  const isAccepted = (name: string) => plugins[name]?.whose !== "refused";
  expect(Object.keys(plugins).filter((name) => isAccepted(name) && !said.has(name))).toEqual([]);
  const corefile = { blocks: `block.example {\n${ofBlock}\n}` };
  expect(problemsOf({ agentImage, authoritativeDNS: { image: "coredns.example/own:1", corefile } })).toEqual([]);
});

it.each<[fact: keyof PluginRule, names: string[]]>([
  ["replaces", ["errors", "loadbalance"]],
  ["argsOrOptions", ["dns64"]],
  ["asksWho", ["acl", "view"]],
  ["asksApi", ["kubernetes"]],
  ["once", "nsid ready pprof shed prometheus errors tsig cache dnssec hosts kubernetes loop grpc view".split(" ")],
])("%s is said of %j", (fact, names) => {
  expect(Object.keys(plugins).filter((name) => plugins[name]?.[fact])).toEqual(names);
});

it.each(["ready 8181", "prometheus 9153", "health { lameduck 5 }", "ready { monitored }"])(
  "CoreDNS refuses %s",
  (text) => {
    const [{ plugins: [written] = [] } = {}] = parseCorefile(`. {\n${text.replace(/ \{ (.+) \}$/, " {\n$1\n}")}\n}`);
    const rule = written && pluginRule(written.name);
    expect(rule && argumentFault(written, rule)).toContain(text.split(" ").at(text.includes("{") ? 2 : 1));
  },
);

it("what k8s-dns-node-cache has may be added, unless it is refused", () => {
  expect(nodeCachePlugins).toEqual(pluginsOfNodeCache.filter((name) => pluginRule(name)?.whose !== "refused"));
});

it("shows arguments with variables as they are written", () => {
  const args = [["127.0.0.1:", variable("PORT")], variable("HOST"), 1];
  expect(lineOf(plugin("log", args, [plugin("class", ["all"])]))).toBe("log 127.0.0.1:{$PORT} {$HOST} 1 { class all }");
});

it.each([
  ["AAAA", "filterAAAA"],
  ["aaaa", "filterAAAA"],
  ["A", undefined],
])("a template for %s says what the key %s says", (type, key) => {
  expect(keyFor({ name: "template", args: ["IN", type], options: [] })).toBe(key);
});
