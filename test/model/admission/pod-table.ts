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

export function podDnsOf(strict: boolean) {
  const tenancy = tenancyOf({ tenants: [{ name: "baz", namespaces: ["bar"] }], strict });
  return { tenants: { tenancy, clusterDomain: "cluster.local", nameservers: wanted.nameservers } } satisfies PodDns;
}

const reopen: PodDnsOption = { name: "single-request-reopen" };
/** What all pods get. */
const options = [{ name: "ndots", value: "2" }, reopen];
export const all: PodOptions = { options, excludedNamespaces: ["web", "excluded"] };

const [ndots6] = wanted.options;
const plain = wanted;
const decided = { action: "set", dnsPolicy: "None", warnings: [] } as const;
const set = (more: object = {}): PodDnsDecision => ({ ...decided, dnsConfig: { ...plain, ...more } });
const leave: PodDnsDecision = { action: "leave" };
const optIn = { annotations: { "cluster-dns/tenant-dns": "true" } };

interface Otherwise {
  /** With `tenancy.strict`, if it differs. */
  readonly strict?: PodDnsDecision;
  /** What it gets of `all` in a namespace of no tenant, if not everything. */
  readonly free?: readonly PodDnsOption[];
}

function row(name: string, pod: DnsPod, expected: PodDnsDecision, otherwise: Otherwise = {}) {
  return { name, pod, expected, ...otherwise };
}

const own = (dnsConfig: NonNullable<DnsPod["spec"]["dnsConfig"]>, dnsPolicy?: string): DnsPod => ({
  spec: { ...(dnsPolicy && { dnsPolicy }), dnsConfig },
});
const searching = (...more: string[]) => set({ searches: [...plain.searches, ...more] });
const theirs = { nameservers: ["192.0.2.1"] };
const withTheirs = set({ nameservers: [...plain.nameservers, "192.0.2.1"] });
const onHost = { dnsPolicy: "ClusterFirst", hostNetwork: true };
const [edns0, ndots2] = [{ name: "edns0" }, { name: "ndots", value: "2" }];
const byNode = { nodeSelector: { "kubernetes.io/os": "windows" } };
const otherwiseMarked = { annotations: { "cluster-dns/tenant-dns": "yes" } };
const [strict, free] = [set(), []];

/** Every case of the table of pods; policy and webhook have to agree on it. */
export const podRows = [
  row("nothing said", { spec: {} }, set()),
  row("ClusterFirst", { spec: { dnsPolicy: "ClusterFirst" } }, set()),
  row("on the host", { spec: onHost }, leave, { strict, free }),
  row("ClusterFirst on the host's network, opted in", { metadata: optIn, spec: onHost }, set(), { free }),
  row("ClusterFirstWithHostNet", { spec: { ...onHost, dnsPolicy: "ClusterFirstWithHostNet" } }, set()),
  row("ClusterFirstWithHostNet without it", { spec: { dnsPolicy: "ClusterFirstWithHostNet" } }, set()),
  row("Default", { spec: { dnsPolicy: "Default" } }, leave, { strict, free }),
  row("Default, opted in", { metadata: optIn, spec: { dnsPolicy: "Default" } }, set(), { free }),
  row("Default, otherwise", { metadata: otherwiseMarked, spec: { dnsPolicy: "Default" } }, leave, { strict, free }),
  row("None with its own", own(theirs, "None"), leave, { strict: withTheirs, free }),
  row("None, opted in", { ...own(theirs, "None"), metadata: optIn }, leave, { strict: withTheirs, free }),
  row("own search domains", own({ searches: ["corp.example"] }), searching("corp.example")),
  row("one of ours among its own", own({ searches: ["svc.cluster.local", "corp.example"] }), searching("corp.example")),
  row(
    "a search domain of another tenant, with a dot, and one that only looks alike",
    own({ searches: ["web.acme.svc.cluster.local.", "xcluster.local"] }),
    searching("web.acme.svc.cluster.local.", "xcluster.local"),
    { strict: searching("xcluster.local") },
  ),
  row("own nameservers", own({ nameservers: ["10.96.0.10", "192.0.2.1"] }), withTheirs),
  row("own ndots", own({ options: [ndots2] }), set({ options: [ndots2] }), { strict, free: [reopen] }),
  row("another option", own({ options: [edns0] }), set({ options: [ndots6, edns0] })),
  row("an empty dnsConfig", own({}), set()),
  row("empty lists", own({ nameservers: [], searches: [], options: [] }), set()),
  row("mirror", { metadata: { annotations: { "kubernetes.io/config.mirror": "abc" } }, spec: {} }, leave, { free }),
  row("Windows", { spec: { os: { name: "windows" } } }, set(), { free }),
  row("Windows by its node", { spec: byNode }, set(), { free }),
  row("Linux", { spec: { os: { name: "linux" }, nodeSelector: { "kubernetes.io/os": "linux" } } }, set()),
];

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const search = fc.constantFrom(...wanted.searches, "corp.example", "b.com", "a.example", "b.example", "c.example");
const marks = {
  "cluster-dns/tenant-dns": fc.constantFrom("true", "false"),
  "kubernetes.io/config.mirror": fc.constant("abc"),
};
/** Pods of every kind in the table. */
export const pods: fc.Arbitrary<DnsPod> = fc.record({
  metadata: maybe(fc.record({ annotations: maybe(fc.record(marks, { requiredKeys: [] })) })),
  spec: fc.record({
    dnsPolicy: maybe(fc.constantFrom("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")),
    hostNetwork: maybe(fc.boolean()),
    os: maybe(fc.record({ name: fc.constantFrom("linux", "windows") })),
    dnsConfig: maybe(
      fc.record({
        nameservers: maybe(fc.array(fc.constantFrom("10.96.0.10", "192.0.2.1", "192.0.2.2", "::2"), { maxLength: 3 })),
        searches: maybe(fc.array(search, { maxLength: 8 })),
        options: maybe(fc.array(fc.constantFrom(ndots2, edns0, { name: "timeout", value: "1" }), { maxLength: 3 })),
      }),
    ),
  }),
});
