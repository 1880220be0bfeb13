import fc from "fast-check";
import type { DnsPod, PodDns, PodDnsDecision } from "../../../src/model/admission/pod-dns";
import type { PodOptions } from "../../../src/model/admission/pod-options";
import { tenancyOf } from "../../../src/model/tenancy/membership";
import type { PodDnsConfig, PodDnsOption } from "../../../src/model/tenancy/pod-dns-config";

/** Namespace bar of tenant baz. */
export const wanted: PodDnsConfig = {
  nameservers: ["10.96.0.10"],
  searches: ["bar.baz.svc.cluster.local", "baz.svc.cluster.local", "svc.cluster.local", "cluster.local"],
  options: [{ name: "ndots", value: "6" }],
};

export const podDnsOf = (strict: boolean) =>
  ({
    tenants: {
      tenancy: tenancyOf({ tenants: [{ name: "baz", namespaces: ["bar"] }], strict }),
      clusterDomain: "cluster.local",
      nameservers: wanted.nameservers,
    },
  }) satisfies PodDns;

const reopen: PodDnsOption = { name: "single-request-reopen" };
/** What all pods get. */
export const all: PodOptions = {
  options: [{ name: "ndots", value: "2" }, reopen],
  excludedNamespaces: ["web", "excluded"],
};

const [ndots6] = wanted.options;
const plain = wanted;
const set = (dnsConfig: object = plain): PodDnsDecision => ({
  action: "set",
  dnsPolicy: "None",
  dnsConfig,
  warnings: [],
});
const leave: PodDnsDecision = { action: "leave" };
const optIn = { annotations: { "cluster-dns/tenant-dns": "true" } };

interface Otherwise {
  /** With `tenancy.strict`, if it differs. */
  readonly strict?: PodDnsDecision;
  /** What it gets of `all` in a namespace of no tenant, if not everything. */
  readonly free?: readonly PodDnsOption[];
}

const row = (name: string, pod: DnsPod, expected: PodDnsDecision, otherwise: Otherwise = {}) => ({
  name,
  pod,
  expected,
  ...otherwise,
});

/** Every case of the table of pods; policy and webhook have to agree on it. */
export const podRows = [
  row("nothing said", { spec: {} }, set()),
  row("ClusterFirst", { spec: { dnsPolicy: "ClusterFirst" } }, set()),
  row("on the host", { spec: { dnsPolicy: "ClusterFirst", hostNetwork: true } }, leave, { strict: set(), free: [] }),
  row(
    "ClusterFirst on the host's network, opted in",
    { metadata: optIn, spec: { dnsPolicy: "ClusterFirst", hostNetwork: true } },
    set(),
    { free: [] },
  ),
  row("ClusterFirstWithHostNet", { spec: { dnsPolicy: "ClusterFirstWithHostNet", hostNetwork: true } }, set()),
  row("ClusterFirstWithHostNet without it", { spec: { dnsPolicy: "ClusterFirstWithHostNet" } }, set()),
  row("Default", { spec: { dnsPolicy: "Default" } }, leave, { strict: set(), free: [] }),
  row("Default, opted in", { metadata: optIn, spec: { dnsPolicy: "Default" } }, set(), { free: [] }),
  row(
    "Default, annotated with something else",
    { metadata: { annotations: { "cluster-dns/tenant-dns": "yes" } }, spec: { dnsPolicy: "Default" } },
    leave,
    { strict: set(), free: [] },
  ),
  row("None with its own", { spec: { dnsPolicy: "None", dnsConfig: { nameservers: ["192.0.2.1"] } } }, leave, {
    strict: set({ ...plain, nameservers: [...plain.nameservers, "192.0.2.1"] }),
    free: [],
  }),
  row(
    "None, opted in: its own stays",
    { metadata: optIn, spec: { dnsPolicy: "None", dnsConfig: { nameservers: ["192.0.2.1"] } } },
    leave,
    { strict: set({ ...plain, nameservers: [...plain.nameservers, "192.0.2.1"] }), free: [] },
  ),
  row(
    "own search domains",
    { spec: { dnsConfig: { searches: ["corp.example"] } } },
    set({ ...plain, searches: [...plain.searches, "corp.example"] }),
  ),
  row(
    "a search domain of ours among its own",
    { spec: { dnsConfig: { searches: ["svc.cluster.local", "corp.example"] } } },
    set({ ...plain, searches: [...plain.searches, "corp.example"] }),
  ),
  row(
    "a search domain of another tenant, with a dot, and one that only looks alike",
    { spec: { dnsConfig: { searches: ["web.acme.svc.cluster.local.", "xcluster.local"] } } },
    set({ ...plain, searches: [...plain.searches, "web.acme.svc.cluster.local.", "xcluster.local"] }),
    { strict: set({ ...plain, searches: [...plain.searches, "xcluster.local"] }) },
  ),
  row(
    "own nameservers",
    { spec: { dnsConfig: { nameservers: ["10.96.0.10", "192.0.2.1"] } } },
    set({ ...plain, nameservers: ["10.96.0.10", "192.0.2.1"] }),
  ),
  row(
    "own ndots",
    { spec: { dnsConfig: { options: [{ name: "ndots", value: "2" }] } } },
    set({ ...plain, options: [{ name: "ndots", value: "2" }] }),
    { strict: set(), free: [reopen] },
  ),
  row(
    "another option",
    { spec: { dnsConfig: { options: [{ name: "edns0" }] } } },
    set({ ...plain, options: [ndots6, { name: "edns0" }] }),
  ),
  row("an empty dnsConfig", { spec: { dnsConfig: {} } }, set()),
  row("empty lists", { spec: { dnsConfig: { nameservers: [], searches: [], options: [] } } }, set()),
  row("mirror", { metadata: { annotations: { "kubernetes.io/config.mirror": "abc" } }, spec: {} }, leave, { free: [] }),
  row("Windows", { spec: { os: { name: "windows" } } }, set(), { free: [] }),
  row("Windows by its node", { spec: { nodeSelector: { "kubernetes.io/os": "windows" } } }, set(), { free: [] }),
  row("Linux", { spec: { os: { name: "linux" }, nodeSelector: { "kubernetes.io/os": "linux" } } }, set()),
];

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const search = fc.constantFrom(...wanted.searches, "corp.example", "b.com", "a.example", "b.example", "c.example");
/** Pods of every kind in the table. */
export const pods: fc.Arbitrary<DnsPod> = fc.record({
  metadata: maybe(
    fc.record({
      annotations: maybe(
        fc.record(
          {
            "cluster-dns/tenant-dns": fc.constantFrom("true", "false"),
            "kubernetes.io/config.mirror": fc.constant("abc"),
          },
          { requiredKeys: [] },
        ),
      ),
    }),
  ),
  spec: fc.record({
    dnsPolicy: maybe(fc.constantFrom("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")),
    hostNetwork: maybe(fc.boolean()),
    os: maybe(fc.record({ name: fc.constantFrom("linux", "windows") })),
    dnsConfig: maybe(
      fc.record({
        nameservers: maybe(fc.array(fc.constantFrom("10.96.0.10", "192.0.2.1", "192.0.2.2", "::2"), { maxLength: 3 })),
        searches: maybe(fc.array(search, { maxLength: 8 })),
        options: maybe(
          fc.array(fc.constantFrom({ name: "ndots", value: "2" }, { name: "edns0" }, { name: "timeout", value: "1" }), {
            maxLength: 3,
          }),
        ),
      }),
    ),
  }),
});
