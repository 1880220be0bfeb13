import { describe, expect, it } from "vitest";
import { diagnose } from "../../../src/model/doctor/diagnose";
import * as edit from "./edit";
import { commands, described, findingsOf, found, healthy, idsOf, pod, props } from "./healthy";

const is = healthy();
const where = "Service kube-system/kube-dns";
const ready = is.endpointSlices.find(({ metadata }) => metadata.name === "kube-dns")?.endpoints ?? [];
const nobodys = { addresses: ["192.0.2.1"] };
const selects = "its selector k8s-app=kube-dns has 2 pods, of which 2 are ready";
const lacks = "ready, but no endpoint: kube-system/coredns-0 on node-1";
const slices = (endpoints: object[]) => ({
  endpointSlices: edit.replaced(is.endpointSlices, "kube-dns", (slice) => ({ ...slice, endpoints: endpoints as [] })),
});

it.each([
  ["no-endpoint", ready.map((each) => ({ ...each, conditions: { ready: false } })), [selects]],
  ["foreign-endpoint", [...ready.slice(1), nobodys], [lacks, "an endpoint, but no pod of the selector: 192.0.2.1"]],
  ["stale-endpoints", ready.slice(1), [lacks]],
])("%s", (id, endpoints, evidence) => expect(found(slices(endpoints))).toEqual([{ id, where, evidence }]));

const port = (name: string, to: number, protocol = "TCP") => ({ name, port: to, protocol });
const [udp, tcp, metrics] = [port("dns", 53, "UDP"), port("dns-tcp", 53), port("metrics", 9153)];
const lacks9153 = "port 9153: no EndpointSlice has metrics,TCP (targetPort 9153)";
const lacks53 = "port 53: no EndpointSlice has dns-tcp,TCP (targetPort 53)";
it.each<[id: string, ports: object[], evidence: string[]]>([
  ["no-endpoint", [udp], [lacks53, lacks9153]],
  [
    "no-endpoint",
    [udp, port("dns-tcp", 5353), metrics],
    ["port 53: EndpointSlices lead dns-tcp,TCP to 5353, not to 53"],
  ],
  ["no-endpoint-aside", [udp, tcp], [lacks9153]],
])("%s, of some ports", (id, ports, evidence) => {
  const endpointSlices = edit.replaced(is.endpointSlices, "kube-dns", (each) => ({ ...each, ports: ports as [] }));
  expect(found({ endpointSlices })).toEqual([{ id, where, evidence }]);
});

it("none, while pods end that are not counted", () => {
  const ending = { metadata: { deletionTimestamp: "2026-11-01T00:00:00Z" } };
  const change = { ...slices([]), pods: edit.patched(is.pods, "coredns-0", ending) };
  const evidence = ["its selector k8s-app=kube-dns has 1 pods, of which 1 are ready"];
  expect(found(change)).toContainEqual({ id: "no-endpoint", where, evidence });
});

describe("none, because of what is told already", () => {
  const lacking = (name: string) => ({
    workloads: edit.replaced(is.workloads, name, () => undefined),
    pods: is.pods.filter(({ metadata }) => metadata.labels?.["k8s-app"] !== name.replace("coredns", "kube-dns")),
    endpointSlices: is.endpointSlices.map((each) => ({ ...each, endpoints: [] })),
  });
  const of = (name: string) => found(lacking(name)).flatMap((each) => (each.where.includes(name) ? each.id : []));

  it.each([
    ["coredns", "Deployment"],
    ["node-local-dns", "DaemonSet"],
  ])("%s is missing", (name, kind) => {
    const all = findingsOf(lacking(name)).filter(({ where: at }) => at !== "Service kube-system/kube-dns");
    expect(all.filter(({ id }) => id === "missing").map(({ where: at }) => at)).toEqual([
      `${kind} kube-system/${name}`,
    ]);
    expect(of(name)).toEqual(["missing"]);
    expect(all.map(({ id }) => id)).not.toContain("no-pod-here");
    expect(all.flatMap(commands).join("\n")).not.toContain(`describe ${kind.toLowerCase()} ${name}`);
  });

  it("its workload is scaled to 0", () => {
    const workloads = edit.patched(is.workloads, "coredns", { spec: { replicas: 0 } });
    expect(idsOf({ ...lacking("coredns"), workloads })).not.toContain("no-endpoint");
    // Nobody knows of one that was not read.
    expect(idsOf({ ...lacking("coredns"), workloads: undefined })).toContain("no-endpoint");
  });
});

it("an address of nobody is in a slice that somebody may delete", () => {
  const [slice] = is.endpointSlices.filter(({ metadata }) => metadata.name === "kube-dns");
  const byHand = { ...slice, metadata: { ...slice?.metadata, name: "by-hand" }, endpoints: [nobodys] };
  const [finding] = findingsOf({ endpointSlices: [...is.endpointSlices, byHand as never] });
  expect(finding?.id).toBe("foreign-endpoint");
  expect(commands(finding).at(-1)).toMatch(/^kubectl delete endpointslice by-hand( |$)/);
});

it("none at all: of a Service that only Prometheus reads, too", () => {
  const from = described({ ...props, monitoring: {} });
  expect(idsOf({ endpointSlices: [] }, from)).toEqual(expect.arrayContaining(["no-endpoint", "no-endpoint-aside"]));
});

it("none of a family", () => {
  const dual = described({ ...props, clusterDNS: ["10.96.0.10", "fd00:96::a"] });
  const evidence = ["none of the family of fd00:96::a: nothing answers at this address", selects];
  expect(found({ endpointSlices: is.endpointSlices }, dual)).toContainEqual({ id: "no-endpoint", where, evidence });
});

it("of a DNS Service that somebody keeps by hand are right", () => {
  const services = edit.replaced(is.services, "kube-dns", (service) => {
    const { selector: _, ...spec } = service.spec;
    return { ...service, spec };
  });
  expect(diagnose({ ...is, services, ...slices([nobodys]) })).toEqual([]);
});

it("a pod that copies CoreDNS's labels is an endpoint, but none of its pods", () => {
  const debug = pod("debug", "kube-system", { nodeName: "node-1" }, { labels: { "k8s-app": "kube-dns" } });
  const stray = { ...debug, status: { ...debug.status, podIP: "10.244.9.9" } };
  const change = { ...is, ...slices([...ready, { addresses: ["10.244.9.9"] }]), pods: [...is.pods, stray] };
  for (const findings of [diagnose(change, described()), diagnose(change)]) {
    expect(findings).toMatchObject([{ id: "stray-pod", where: "pod kube-system/debug on node-1", nodes: ["node-1"] }]);
    expect(commands(findings[0])).toEqual([
      "kubectl get pod debug -o yaml -n kube-system",
      expect.stringMatching(/^kubectl label pod debug k8s-app- -n kube-system /),
    ]);
  }
});

it("a second Deployment has a part of the queries, as long as ours is there", () => {
  const second = edit.copied(is.workloads, "coredns", { metadata: { name: "second" } });
  const ownerReferences = [{ kind: "ReplicaSet", name: "second-7c" }];
  const owned = { name: "second-7c-x", labels: { "pod-template-hash": "7c" }, ownerReferences };
  const both = found({ workloads: second, pods: edit.copied(is.pods, "coredns-0", { metadata: owned }) });
  expect(both).toContainEqual(expect.objectContaining({ id: "other-dns", where: "Deployment kube-system/second" }));
  expect(idsOf({ workloads: second })).not.toContain("other-dns");
});

it("a pod of another's controller is none of a CoreDNS that is a DaemonSet", () => {
  const from = described({ ...props, authoritativeDNS: { kind: "DaemonSet" } });
  const ownerReferences = [{ kind: "ReplicaSet", name: "copy-7c" }];
  const copy = pod("copy-7c-x", "kube-system", {}, { labels: { "k8s-app": "kube-dns" }, ownerReferences });
  expect(idsOf({ pods: [...healthy(from).pods, copy] }, from)).toContain("stray-pod");
});
