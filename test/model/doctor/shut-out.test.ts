import { expect, it } from "vitest";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import * as edit from "./edit";
import { commands, described, findingsOf, found, healthy, props } from "./healthy";

const is = healthy();
const silent = edit.measured("cluster_dns_up 0");

const ofAll = (name: string, spec: object) => {
  const each = edit.policy(name);
  return { ...each, spec: { ...each.spec, ...spec } };
};

/** What is found with these policies of all pods of kube-system, if not all watchdogs are answered. */
const withPolicies = (...specs: readonly object[]) => {
  const networkPolicies = specs.map((spec, i) => ofAll(`p-${i}`, spec));
  return found({ networkPolicies, ...silent }).flatMap(({ id, evidence }) =>
    id.startsWith("shut-out") ? [[id, evidence[0]]] : [],
  );
};

const shut = (by: string) => [
  ["shut-out", `selects pods of the cluster DNS, and no policy of theirs lets in queries by ${by}`],
];
const allowing = (...ports: object[]) => ({ policyTypes: ["Ingress"], ingress: [{ ports }] });
const both = allowing({ port: 53, protocol: "UDP" }, { port: 53, protocol: "TCP" });
const none = { policyTypes: ["Ingress"], ingress: [] };

it.each<[string, specs: object[], expected: unknown[]]>([
  ["nothing in", [none], shut("UDP and TCP")],
  ["nothing in, without policyTypes", [{}], shut("UDP and TCP")],
  ["another port in", [allowing({ port: 9153 })], shut("UDP and TCP")],
  ["a port without a protocol in, which is of TCP", [allowing({ port: 53 })], shut("UDP")],
  ["queries in", [both], []],
  ["a range in", [allowing({ port: 1, endPort: 99 }, { port: 1, endPort: 99, protocol: "UDP" })], []],
  ["every port of a protocol in", [allowing({ protocol: "UDP" }, { protocol: "TCP" })], []],
  ["ports by name in", [allowing({ port: "dns", protocol: "UDP" }, { port: "dns-tcp" })], []],
  ["everything in", [{ ingress: [{}] }], []],
  ["nothing in, where another lets queries in", [none, both], []],
  ["nothing out, but all in", [{ policyTypes: ["Egress"] }], []],
])("policies that let %s", (_, specs, expected) => expect(withPolicies(...specs)).toEqual(expected));

it("a policy of all pods is no fault beside the rendered ones, and none of other pods is", () => {
  const from = described({ ...props, networkPolicies: true });
  const others = [edit.policy("all"), edit.policy("other", { app: "other" })];
  expect(found(edit.adding("networkPolicies", others, from), from)).toEqual([]);
});

it.each([
  ["watchdogs are answered all the same", is.metrics],
  // Policies of Cilium, which are not read, may let queries in.
  ["no watchdog tells", new Map()],
])("is a warning where %s", (_, metrics) => {
  expect(found({ networkPolicies: [edit.policy("all")], metrics })).toMatchObject([{ id: "shut-out-aside" }]);
});

const sending = (...egress: object[]) => ({ policyTypes: ["Egress"], egress });
const udp = { port: 53, protocol: "UDP" };
const tcp = { port: 53, protocol: "TCP" };
const [queries, api] = ["queries by UDP to servers for names outside", "TCP to the API server"];
const tls: Partial<ClusterDnsProps> = { upstreamNameservers: ["192.0.2.1"], upstreamTLSServerName: "dns.example" };

it.each<[string, specs: object[], lacking: string[], more?: Partial<ClusterDnsProps>]>([
  ["nothing", [sending()], [queries, api]],
  ["nothing, by egress alone", [{ ingress: [{}], egress: [] }], [queries, api]],
  ["DNS to any address", [sending({ ports: [udp, tcp] })], [api]],
  ["DNS to pods", [sending({ to: [{ namespaceSelector: {} }], ports: [udp, tcp] })], [queries, api]],
  ["TCP", [sending({ ports: [{ protocol: "TCP" }] })], [queries]],
  ["TCP, where upstreams are asked over TLS", [sending({ ports: [{ protocol: "TCP" }] })], [], tls],
  ["DNS and the API server", [sending({ ports: [udp] }, { ports: [{ port: 6443 }] })], []],
  ["a range beyond DNS", [sending({ ports: [udp, { port: 53, endPort: 9999 }] })], []],
  ["both, by two", [sending({ to: [{ ipBlock: {} }], ports: [udp] }), sending({ ports: [{ port: 443 }] })], []],
  ["everything", [sending({})], []],
  ["everything to no peer, which is any", [sending({ to: [] })], []],
  ["what is said of others", [{ policyTypes: ["Ingress"], ingress: [{}] }], []],
])("policies that let out %s", (_, specs, lacking, more = {}) => {
  const networkPolicies = specs.map((spec, i) => ofAll(`p-${i}`, spec));
  const [first, ...others] = found({ networkPolicies }, described({ ...props, ...more })).filter(({ id }) =>
    id.startsWith("shut-in"),
  );
  expect(others).toEqual([]);
  expect([queries, api].filter((each) => first?.evidence[0]?.includes(each))).toEqual(lacking);
});

it("that let nothing out are an error, before its consequences, once a log complains; a rendered policy mends it", () => {
  const line = "[ERROR] plugin/errors: 2 a.example. A: read udp 10.244.0.2:1->192.0.2.1:53: i/o timeout\n".repeat(2);
  const other = line.replaceAll("a.example", "b.example");
  const all = findingsOf({ networkPolicies: [ofAll("p", sending())], ...edit.logged(line + other) });
  expect(all.map(({ id }) => id)).toEqual(["shut-in", "upstream-silent"]);
  expect(commands(all[0]).at(-1)).toMatch(/^kubectl apply .* -k dist\/prod$/);
  expect(found({ networkPolicies: [ofAll("p", sending())] })).toMatchObject([
    { id: "shut-in-aside", where: "NetworkPolicy kube-system/p" },
  ]);
});

it("select the cache, where it is on the pods' network", () => {
  const ofCache = edit.policy("p", { "k8s-app": "node-local-dns" });
  const networkPolicies = [{ ...ofCache, spec: { ...ofCache.spec, policyTypes: ["Ingress", "Egress"] } }];
  const redirected = described({ ...props, kubeProxyMode: "none", cni: "cilium", ciliumVersion: "1.20.2" });
  const evidence = (id: string) => found({ networkPolicies }, redirected).find((each) => each.id === id)?.evidence[0];
  expect(evidence("shut-out-aside")).toContain("pods of the cache");
  expect(evidence("shut-in-aside")).toBe(`selects pods of the cache, and no policy of theirs lets out ${queries}`);
  expect(found({ networkPolicies })).toEqual([]);
});
