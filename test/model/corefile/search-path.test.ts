import { expect, it } from "vitest";
import { cacheFilesOf, nodeLocalDnsCorefileOf } from "../../../rig/coredns/corefile-of";
import { lineOf } from "../../../src/model/corefile/line";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { SearchPathOptions } from "../../../src/model/props/node-local-dns";
import { cached } from "../../cached";

const tenancy = { tenants: [{ name: "green", namespaces: ["shop"] }], systemTenant: { name: "platform" } };

function walking(more: Partial<ClusterDnsProps> = {}, options: Partial<SearchPathOptions> = {}): ClusterDnsProps {
  return { ...cached, ...more, nodeLocalDNS: { ...more.nodeLocalDNS, searchPath: { nodeDomains: [], ...options } } };
}

/** Whose blocks come before the cluster domain's own, by the names of their views. */
function views(props: ClusterDnsProps): string[] {
  return nodeLocalDnsCorefileOf(props).flatMap(({ keys, plugins }) =>
    plugins.filter(({ name }) => name === "view").map(({ args }) => `${keys[0]?.zone} ${String(args[0])}`),
  );
}

/** Whom the first block asks, in turn. */
function asked(props: ClusterDnsProps): string[] {
  const [first] = nodeLocalDnsCorefileOf(props);
  return (first?.plugins ?? []).flatMap(({ name, args, options }) =>
    name === "forward" ? [[args[1], ...options.filter((each) => each.name === "next").map(lineOf)].join(" ")] : [],
  );
}

const pods = ["svc.cluster.local pods-udp", "svc.cluster.local pods-tcp"];
const nowhere = ["svc.cluster.local too-long", "cluster.local other"];

it("checks the namespace, then walks", () => {
  expect(asked(walking())).toEqual(["127.254.20.2:53 next NOERROR", "127.254.20.3:53"]);
  expect(views(walking())).toEqual([...pods, ...nowhere, ". udp"]);
});

it("asks itself about the namespace, and walks, at an address of its own each", () => {
  const blocks = nodeLocalDnsCorefileOf(walking()).map(({ plugins }) => plugins.map(lineOf));
  const own = blocks.filter((lines) => lines.some((line) => /^bind 127\.254\.20\.[23]$/.test(line)));
  expect(own).toMatchSnapshot();
});

it.each<[what: string, props: ClusterDnsProps]>([
  ["a DNS that the cluster has", walking({ authoritativeDNS: { kind: "Existing" } })],
  ["rewritten names of the cluster", walking({ rewrites: [{ match: "prefix", from: "a", to: "b" }] })],
  ["additions for the cluster's names", walking({ authoritativeDNS: { corefile: { clusterNames: "any" } } })],
  ["blocks", walking({ nodeLocalDNS: { corefile: { blocks: "a.example {\n whoami\n}" } } })],
])("knows no name to be nowhere, with %s", (_, props) => {
  expect(views(props)).toEqual([...pods, ". udp"]);
  expect(asked(props)[0]).toBe("127.254.20.1:53 next NXDOMAIN");
});

it("asks for names that may be a tenant's, or a headless Service's", () => {
  for (const props of [walking({ tenancy }), walking({}, { topLevelDomains: ["com"] })])
    expect(asked(props)[0]).toBe("127.254.20.1:53 next NXDOMAIN");
});

it("walks tenants' own path, too", () => {
  const ofTenants = ["udp", "tcp"].map((protocol) => `svc.cluster.local tenants-${protocol}`);
  expect(views(walking({ tenancy })).slice(0, 2)).toEqual(ofTenants);
});

const usual = "svc.cluster.local. cluster.local.";
it.each<[path: string, props: ClusterDnsProps, files: object]>([
  ["pods", walking({}, { nodeDomains: ["Corp.example."] }), { "search-path": `${usual} corp.example.` }],
  ["tenants", walking({ tenancy }), { "search-path": usual, "search-path-of-tenants": usual }],
  [
    "tenants that see little",
    walking({ tenancy: { ...tenancy, isolation: "soft" }, clusterDomain: "k8s.example" }),
    { "search-path": "svc.k8s.example. k8s.example.", "search-path-of-tenants": "" },
  ],
])("knows the path of %s", (_, props, paths) => {
  const expected = Object.entries(paths).map(([name, path]) => [name, `search invalid. ${path}`.trim()]);
  const files = Object.entries(cacheFilesOf(props)).map(([name, text]) => [name, text.trim()]);
  expect(files.toSorted()).toEqual(expected);
});

it("leaves zones with names of another kind to their block", () => {
  const federation = { name: "fed", domain: "fed.example", region: "eu", zone: "a" };
  const zones = { "lab.cluster.local": { records: {} } };
  const props = walking({ federation, zones, stubDomains: { "db.svc.cluster.local": ["10.1.2.3"] } });
  const keysOf = nodeLocalDnsCorefileOf(props).map(({ keys }) => keys.map(({ zone }) => zone).join(" "));
  expect(keysOf).toContain("cluster.local fed.svc.cluster.local lab.cluster.local");
  expect(keysOf).toContain(". db.svc.cluster.local");
});

it("logs what pods ask, and not what it asks itself on the way", () => {
  const blocks = nodeLocalDnsCorefileOf(walking({ queryLog: { until: "2099-01-01" }, tenancy }));
  const has = (block: (typeof blocks)[number], line: RegExp) => block.plugins.some((each) => line.test(lineOf(each)));
  const onLoopback = blocks.filter((block) => has(block, /^bind \S+$/));
  expect(onLoopback.map((block) => has(block, /^log/))).toEqual([false, false, false, false]);
  expect(blocks.slice(0, 2).map((block) => has(block, /^log/))).toEqual([true, true]);
});

it.each([
  ["beside the link", {}, "bind 169.254.20.10 10.96.0.10 127.254.20.1"],
  ["on all addresses of its pod", { kubeProxyMode: "none", cni: "cilium" } as const, undefined],
])("answers itself %s", (_, more, bind) => {
  const main = nodeLocalDnsCorefileOf(walking(more)).find(({ keys }) => keys[0]?.zone === ".");
  expect(main?.plugins.filter(({ name }) => name === "bind").map(lineOf)).toEqual(bind === undefined ? [] : [bind]);
});
