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

/** Every case of the table of pods; policy and webhook have to agree on it. */
export const podRows: readonly {
  readonly name: string;
  readonly pod: DnsPod;
  readonly expected: PodDnsDecision;
  /** With `tenancy.strict`, if it differs. */
  readonly strict?: PodDnsDecision;
  /** What it gets of `all` in a namespace of no tenant, if not everything. */
  readonly free?: readonly PodDnsOption[];
}[] = [
  { name: "nothing said", pod: { spec: {} }, expected: set() },
  { name: "ClusterFirst", pod: { spec: { dnsPolicy: "ClusterFirst" } }, expected: set() },
  {
    name: "ClusterFirst on the host's network",
    pod: { spec: { dnsPolicy: "ClusterFirst", hostNetwork: true } },
    free: [],
    expected: leave,
    strict: set(),
  },
  {
    name: "ClusterFirst on the host's network, opted in",
    pod: { metadata: optIn, spec: { dnsPolicy: "ClusterFirst", hostNetwork: true } },
    free: [],
    expected: set(),
  },
  {
    name: "ClusterFirstWithHostNet",
    pod: { spec: { dnsPolicy: "ClusterFirstWithHostNet", hostNetwork: true } },
    expected: set(),
  },
  {
    name: "ClusterFirstWithHostNet without it",
    pod: { spec: { dnsPolicy: "ClusterFirstWithHostNet" } },
    expected: set(),
  },
  { name: "Default", pod: { spec: { dnsPolicy: "Default" } }, expected: leave, strict: set(), free: [] },
  { name: "Default, opted in", pod: { metadata: optIn, spec: { dnsPolicy: "Default" } }, expected: set(), free: [] },
  {
    name: "Default, annotated with something else",
    pod: { metadata: { annotations: { "cluster-dns/tenant-dns": "yes" } }, spec: { dnsPolicy: "Default" } },
    expected: leave,
    strict: set(),
    free: [],
  },
  {
    name: "None with its own",
    pod: { spec: { dnsPolicy: "None", dnsConfig: { nameservers: ["192.0.2.1"] } } },
    expected: leave,
    strict: set({ ...plain, nameservers: [...plain.nameservers, "192.0.2.1"] }),
    free: [],
  },
  {
    name: "None, opted in: its own stays",
    pod: { metadata: optIn, spec: { dnsPolicy: "None", dnsConfig: { nameservers: ["192.0.2.1"] } } },
    expected: leave,
    strict: set({ ...plain, nameservers: [...plain.nameservers, "192.0.2.1"] }),
    free: [],
  },
  {
    name: "own search domains",
    pod: { spec: { dnsConfig: { searches: ["corp.example"] } } },
    expected: set({ ...plain, searches: [...plain.searches, "corp.example"] }),
  },
  {
    name: "a search domain of ours among its own",
    pod: { spec: { dnsConfig: { searches: ["svc.cluster.local", "corp.example"] } } },
    expected: set({ ...plain, searches: [...plain.searches, "corp.example"] }),
  },
  {
    name: "a search domain of another tenant, with a dot, and one that only looks alike",
    pod: { spec: { dnsConfig: { searches: ["web.acme.svc.cluster.local.", "xcluster.local"] } } },
    expected: set({ ...plain, searches: [...plain.searches, "web.acme.svc.cluster.local.", "xcluster.local"] }),
    strict: set({ ...plain, searches: [...plain.searches, "xcluster.local"] }),
  },
  {
    name: "own nameservers",
    pod: { spec: { dnsConfig: { nameservers: ["10.96.0.10", "192.0.2.1"] } } },
    expected: set({ ...plain, nameservers: ["10.96.0.10", "192.0.2.1"] }),
  },
  {
    name: "own ndots",
    pod: { spec: { dnsConfig: { options: [{ name: "ndots", value: "2" }] } } },
    expected: set({ ...plain, options: [{ name: "ndots", value: "2" }] }),
    strict: set(),
    free: [reopen],
  },
  {
    name: "another option",
    pod: { spec: { dnsConfig: { options: [{ name: "edns0" }] } } },
    expected: set({ ...plain, options: [ndots6, { name: "edns0" }] }),
  },
  { name: "an empty dnsConfig", pod: { spec: { dnsConfig: {} } }, expected: set() },
  {
    name: "empty lists",
    pod: { spec: { dnsConfig: { nameservers: [], searches: [], options: [] } } },
    expected: set(),
  },
  {
    name: "a mirror pod",
    pod: { metadata: { annotations: { "kubernetes.io/config.mirror": "abc" } }, spec: {} },
    expected: leave,
    free: [],
  },
  { name: "Windows", pod: { spec: { os: { name: "windows" } } }, expected: set(), free: [] },
  {
    name: "Windows by its node",
    pod: { spec: { nodeSelector: { "kubernetes.io/os": "windows" } } },
    expected: set(),
    free: [],
  },
  {
    name: "Linux",
    pod: { spec: { os: { name: "linux" }, nodeSelector: { "kubernetes.io/os": "linux" } } },
    expected: set(),
  },
];

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const search = fc.constantFrom(
  ...wanted.searches,
  "corp.example",
  "example.com",
  "a.example",
  "b.example",
  "c.example",
);
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
        nameservers: maybe(
          fc.array(fc.constantFrom("10.96.0.10", "192.0.2.1", "192.0.2.2", "2001:db8::1"), { maxLength: 3 }),
        ),
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
