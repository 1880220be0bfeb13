import fc from "fast-check";
import { resolve } from "../../src/model/check/resolve";
import type { Cluster } from "../../src/model/cluster/cluster";
import { type Schema, schema } from "../schema";
import { fromSchema, type Words } from "./from-schema";
import { anyText } from "../any-text";

export { schema };

const addresses = "10.96.0.10 fd00:96::a 10.97.0.10 169.254.20.10 fd00:169:254:20::10 FD00:96::A 9.9.9.9".split(" ");
const servers = [...addresses, "9.9.9.9:5353", "[2620:fe::fe]:53", "10.1.2.3", "127.0.0.1", "::ffff:10.96.0.10"];
const zones = "corp.example Corp.Example. internal a_b.example 10.in-addr.arpa local cluster.local .".split(" ");
const labels =
  "team example.com/role node-role.kubernetes.io/infra kubernetes.io/os k8s-app constructor __proto__".split(" ");
const quantities = ["100m", "0.5", "70Mi", "1.5Gi", "1e3", "2", "0"];
const images = ["agent:1", "registry.example:5000/dns/agent:v1.2", `agent@sha256:${"0".repeat(64)}`, "agent:latest"];

// Also what no unit is made of, and what is no whole number of any unit.
const durations = fc.oneof(
  fc.double({ min: 1.5, max: 4.5, noNaN: true }).map((digits) => `${Math.round(10 ** digits)}ms`),
  fc.double({ min: 1, max: 3.5, noNaN: true }).map((digits) => `${Math.round(10 ** digits) / 10}s`),
  fc.constantFrom("30.0005s", "1m0.25s", "1h30m", "100100us", "0s", "1d"),
);

const types: Words["types"] = {
  Address: servers,
  APIServerURL: ["https://kubernetes.default.svc", "https://api.example:6443"],
  Certificates: ["-----BEGIN CERTIFICATE-----\nMAMCAQU=\n-----END CERTIFICATE-----\n", "ca.pem"],
  CIDR: ["10.96.0.0/12", "fd00:96::/112", "10.96.0.0/30", "::/0"],
  Collector: ["tcp://10.1.2.3:6000", "tls://[fd00::5]:6000", "tcp://127.0.0.1:6000"],
  Day: ["2020-02-29", "2099-12-24", "2026-13-01"],
  DNSName: zones,
  Duration: durations,
  Image: images,
  IPv4Address: ["10.1.2.3", "::1"],
  IPv6Address: ["fd00::1"],
  LabelKey: ["example.com/tenant", "tenant"],
  MailExchanger: ["10 mail"],
  NamespaceName: ["team-a", "bar", "kube-system", "default", "monitoring", "Bad"],
  NAT64Prefix: ["64:ff9b::/96", "2001:db8::/32", "64:ff9b::/97"],
  ObjectName: ["git-credentials", "kube-dns", "a.b"],
  PageURL: ["https://runbooks.example/dns", "https://runbooks.example/dns/"],
  Registry: ["mirror.example", "mirror.example:5000/k8s"],
  Release: ["1.17.3", "1.18.4", "1.20.2", "1.20"],
  RepositoryFolder: ["dist", ".", "a/b", "../c"],
  Revision: ["HEAD", "v1.2", "main"],
  Server: servers,
  ServiceLabel: ["dns", "dns-tcp", "udp-53", "Dns"],
  ServiceName: ["image-registry.openshift-image-registry.svc", "a.b.svc", "a.b.svc.cluster.local"],
  ServiceRecord: ["0 100 5060 sip"],
  TextRecord: ["v=1", 'a "b"'],
  TopLevelDomain: ["com", "IO", "a.b"],
  UserName: ["system:serviceaccount:argocd:argocd-application-controller", "admin", "system:masters", ""],
  WholeName: ["a.example."],
  ZoneFile: ["@ 60 IN SOA ns hostmaster 1 2 3 4 5\n", "www A 10.1.2.3\n"],
};
/** Of texts without such a type, or that must fit others. */
const wellFormed: Words["values"] = {
  clusterDNS: ["10.96.0.10", "fd00:96::a", "10.97.0.10", "fd00:169:254:20::10"],
  clusterDomain: ["cluster.local", "k8s.example", "internal", "local", "arpa"],
  kubernetesVersion: ["1.28", "1.34", "1.37", "1.3"],
  upstreamTLSServerName: ["dns.quad9.net"],
  hostnames: [...zones, "registry.example", "db.corp.example", "#"],
  resolvConf: ["/run/systemd/resolve/resolv.conf"],
  labels: ["platform", ""],
  annotations: ["any text: really\n", "{$HOME}", ""],
  linkLocalAddresses: ["169.254.20.10", "169.254.30.10", "fd00:169:254:20::10", "10.96.0.10"],
  dashboardLabels: ["1", ""],
  from: ["app.corp.example", ".apps.example", "a.default.svc.cluster.local", "^(.*)\\.example\\.$", "pre-", "("],
  to: ["b.default.svc.cluster.local", "b.example", ".apps.example", "{1}.a.example", "x"],
  CNAME: ["www", "a.example."],
  match: ["^(?P<a>.*)\\.example\\.$", ".*", "["],
  answer: ["{{ .Name }} 60 IN A 10.1.2.3", "{{ .Name"],
  tlsServerName: ["dns.example"],
  clusterNames: ["log", "errors {\n  stacktrace\n}", "health", "log {"],
  otherNames: ["log {\n class error\n}", "any\nnsid x", "template ANY ANY a.b {\n rcode NXDOMAIN\n}", "forward . ::1"],
  blocks: ["a.example {\n  forward . 10.1.1.1\n}", "b.example c.example:53 {\n  whoami\n}", ". {\n}", "a.example"],
  plugins: ["mdns", "log"],
  outsideName: ["www.example.com", "a.cluster.local"],
  domain: ["federation.example", "corp.example", "com", "."],
  region: ["eu", "eu-west.1", "r"],
  zone: ["z", "eu-west-1a", "svc.z"],
  name: ["fed", "system", "t-1", "Bad", "kube-dns"],
  repoURL: ["https://git.example/dns.git", "ssh://git@git.example/dns"],
  url: ["https://git.example/dns.git", "oci://registry.example/dns"],
  type: ["spc_t"],
  level: ["s0:c123,c456"],
  role: ["system_r"],
  user: ["system_u"],
  nodeSelector: ["linux", "", "infra"],
  selector: ["kube-dns", ""],
  key: labels,
  value: ["", "infra", "5"],
  requests: quantities,
  limits: quantities,
};
const keys: Words["keys"] = {
  stubDomains: zones,
  zones,
  records: ["www", "@", "*.apps", "a b"],
  labels,
  dashboardLabels: labels,
  annotations: [
    ...labels,
    "Example.com/Owner",
    "argocd.argoproj.io/sync-wave",
    "scheduler.alpha.kubernetes.io/tolerations",
    "seccomp.security.alpha.kubernetes.io/pod",
    "controller.kubernetes.io/pod-deletion-cost",
    "service.beta.kubernetes.io/load-balancer-source-ranges",
  ],
  nodeSelector: labels,
  selector: labels,
  requests: ["cpu", "memory"],
  limits: ["cpu", "memory"],
};
export const hostile = fc.oneof(
  anyText(8),
  fc.constantFrom("{$A}", "}\n}\n.:53 {", '"', "\\", "${A}", "#", "import a", "*", "..", "toString", "a".repeat(300)),
);

type Description = { readonly [key: string]: unknown };

// A cluster file may leave these to its defaults file; without them there is no cluster.
const required = ["clusterDNS", "kubeProxyMode"];

const words = { types, values: wellFormed, keys, any: hostile };

/** Descriptions of the schema's shape, most of which the check refuses. */
export const anyCluster = fromSchema({ ...schema, required }, words) as fc.Arbitrary<Description>;

export interface ValidCluster {
  readonly description: Description;
  readonly cluster: Cluster;
}

/**
 * Clusters with any values that the check accepts: what it refuses of a description is left out.
 * @param wanted Keys that every description begins with, by their mapping's name in the schema.
 */
export function validClusters(
  wanted: { readonly [mapping: string]: readonly string[] } = {},
): fc.Arbitrary<ValidCluster> {
  const definitions = Object.entries(schema.definitions ?? {}).map(([name, definition]) => [
    name,
    { ...definition, required: [...new Set([...(definition.required ?? []), ...(wanted[name] ?? [])])] },
  ]);
  const wanting = { ...schema, required: [...required, ...(wanted["ClusterDnsProps"] ?? [])] };
  return fromSchema(
    { ...wanting, definitions: Object.fromEntries(definitions) as Schema["definitions"] & {} },
    words,
    Infinity,
  ).map((description) => withoutProblems(description as Description));
}

const least = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" };

// One problem of a part at a time, the most particular first: another may be about the same.
function withoutProblems(description: Description, rounds = 100): ValidCluster {
  const { cluster, problems = [] } = resolve(description);
  if (cluster) return { description, cluster };
  // Only another key can mend a value of `least`.
  if (rounds === 0) return withoutProblems(least);
  const paths = problems
    .map(({ path }) => existing(description, path.map(String)))
    // What a missing key belongs to is not said.
    .map((path) => (path.length > 0 ? path : Object.keys(description).slice(-1)))
    .sort((a, b) => a.length - b.length);
  const deepest = new Map(paths.map((path) => [path[0], path]));
  const sound = [...deepest.values()].reduce<unknown>((value, path) => replaced(value, path, undefined), description);
  return withoutProblems({ ...least, ...(sound as Description) }, rounds - 1);
}

/** The path as far as there is a value; of the cluster's addresses, all. */
function existing(value: unknown, [key, ...rest]: readonly string[]): string[] {
  if (key === undefined || typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return [];
  return [key, ...(key === "clusterDNS" ? [] : existing((value as Description)[key], rest))];
}

/** A copy with another value at a path, or without that path if the value is undefined. */
export function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const entries = Object.entries(value as object)
    .map(([each, child]) => [each, each === key ? replaced(child, rest, by) : (child as unknown)] as const)
    .filter(([, child]) => child !== undefined);
  return Array.isArray(value) ? entries.map(([, child]) => child) : Object.fromEntries(entries);
}
