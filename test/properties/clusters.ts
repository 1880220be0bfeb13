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

const wellFormed: Words["values"] = {
  clusterDNS: ["10.96.0.10", "fd00:96::a", "10.97.0.10", "fd00:169:254:20::10"],
  clusterDomain: ["cluster.local", "k8s.example", "internal", "local", "arpa"],
  serviceCIDRs: ["10.96.0.0/12", "fd00:96::/112", "10.96.0.0/30", "::/0"],
  kubernetesVersion: ["1.28", "1.34", "1.37", "1.3"],
  ciliumVersion: ["1.17.3", "1.18.4", "1.20.2", "1.20"],
  imageRegistry: ["mirror.example", "mirror.example:5000/k8s"],
  agentImage: images,
  image: images,
  upstreamNameservers: servers,
  upstreamTLSServerName: ["dns.quad9.net"],
  stubDomains: servers,
  ip: servers,
  pinnedNames: zones,
  hostnames: [...zones, "registry.example", "db.corp.example", "#"],
  resolvConf: ["/run/systemd/resolve/resolv.conf"],
  labels: ["platform", ""],
  annotations: ["any text: really\n", "{$HOME}", ""],
  linkLocalAddresses: ["169.254.20.10", "169.254.30.10", "fd00:169:254:20::10", "10.96.0.10"],
  metricsNamespaces: ["monitoring", "Monitoring"],
  namespace: ["kube-system", "monitoring", "Bad"],
  dashboardLabels: ["1", ""],
  runbookBaseURL: ["https://runbooks.example/dns", "https://runbooks.example/dns/"],
  from: ["app.corp.example", ".apps.example", "a.default.svc.cluster.local", "^(.*)\\.example\\.$", "pre-", "("],
  to: ["b.default.svc.cluster.local", "b.example", ".apps.example", "{1}.a.example", "x"],
  servers,
  A: ["10.1.2.3", "::1"],
  AAAA: ["fd00::1"],
  CNAME: ["www", "a.example."],
  TXT: ["v=1", 'a "b"'],
  MX: ["10 mail"],
  SRV: ["0 100 5060 sip"],
  PTR: ["a.example."],
  file: ["@ 60 IN SOA ns hostmaster 1 2 3 4 5\n", "www A 10.1.2.3\n"],
  match: ["^(?P<a>.*)\\.example\\.$", ".*", "["],
  answer: ["{{ .Name }} 60 IN A 10.1.2.3", "{{ .Name"],
  tlsServerName: ["dns.example"],
  tlsCA: ["-----BEGIN CERTIFICATE-----\nMAMCAQU=\n-----END CERTIFICATE-----\n", "ca.pem"],
  expire: durations,
  askClusterDNS: zones,
  nodeDomains: zones,
  topLevelDomains: ["com", "IO", "a.b"],
  clusterNames: ["log", "errors {\n  stacktrace\n}", "health", "log {"],
  otherNames: ["log {\n class error\n}", "any\nnsid x", "template ANY ANY a.b {\n rcode NXDOMAIN\n}", "forward . ::1"],
  blocks: ["a.example {\n  forward . 10.1.1.1\n}", "b.example c.example:53 {\n  whoami\n}", ". {\n}", "a.example"],
  plugins: ["mdns", "log"],
  serveStale: ["12h", "1h30m", "0s"],
  duration: durations,
  timeout: durations,
  responseTTL: durations,
  failureRecheck: durations,
  removeAfter: durations,
  interval: durations,
  probeInterval: durations,
  probeTimeout: durations,
  windowLength: durations,
  recoverAfter: durations,
  hostTimeout: durations,
  outsideName: ["www.example.com", "a.cluster.local"],
  allowedUsers: ["system:serviceaccount:argocd:argocd-application-controller", "admin"],
  allowedGroups: ["system:masters", ""],
  domain: ["federation.example", "corp.example", "com", "."],
  region: ["eu", "eu-west.1", "r"],
  zone: ["z", "eu-west-1a", "svc.z"],
  name: ["fed", "system", "t-1", "Bad", "kube-dns"],
  namespaces: ["team-a", "bar", "kube-system", "default"],
  namespaceLabel: ["example.com/tenant", "tenant"],
  services: ["image-registry.openshift-image-registry.svc", "a.b.svc", "a.b.svc.cluster.local"],
  folder: ["dist", ".", "a/b", "../c"],
  repoURL: ["https://git.example/dns.git", "ssh://git@git.example/dns"],
  url: ["https://git.example/dns.git", "oci://registry.example/dns"],
  ref: ["main", "v1"],
  secretRef: ["git-credentials"],
  server: ["https://kubernetes.default.svc", "https://api.example:6443"],
  targetRevision: ["HEAD", "v1.2"],
  type: ["spc_t"],
  level: ["s0:c123,c456"],
  role: ["system_r"],
  user: ["system_u"],
  nodeSelector: ["linux", "", "infra"],
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

const words = { values: wellFormed, keys, any: hostile };

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
