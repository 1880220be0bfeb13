import { expect, it } from "vitest";
import type { Pod } from "../../../src/model/kubernetes/kinds";
import * as edit from "./edit";
import { commands, findingsOf, found, healthy, idsOf } from "./healthy";

const is = healthy();
const unready = [{ type: "Ready", status: "False" }];

const down = (name: string) =>
  edit.patched(is.nodes, name, { status: { conditions: [{ type: "Ready", status: "Unknown" }] } });

it("nodes that are not ready come first, and nothing is said of their pods", () => {
  // Each workload's second pod is there.
  const unreached = edit.changing("pods", /-1$/, { status: { conditions: unready } });
  expect(found({ nodes: down("node-2"), ...unreached })).toMatchObject([
    { id: "node-not-ready", where: "node node-2" },
  ]);
});

it("nodes that came back under another name are there twice", () => {
  const addresses = [{ type: "InternalIP", address: "192.0.2.1" }];
  const nodes = edit.patched(down("node-2"), /./, { status: { addresses } });
  expect(found({ nodes })[0]?.evidence.at(-1)).toContain("node-1 has the same address: if node-2 was renamed");
});

const ready = { type: "Ready", status: "True" };
it.each([
  ["True", ["network-unavailable"]],
  ["False", []],
])("nodes that are ready, and whose NetworkUnavailable is %s", (status, ids) => {
  const conditions = [ready, { type: "NetworkUnavailable", status, reason: "NoRouteCreated", message: "no route" }];
  const told = { where: "node node-2", evidence: expect.arrayContaining(["NoRouteCreated: no route"]) };
  expect(found(edit.changing("nodes", "node-2", { status: { conditions } }))).toMatchObject(
    ids.map((id) => ({ id, ...told })),
  );
});

it("nodes that have one address, each once", () => {
  const internal = (address: string) => ({ type: "InternalIP", address });
  const shared = { status: { addresses: [internal("10.0.2.15"), internal("fd00::1")] } };
  const nodes = edit.patched(is.nodes, /./, shared);
  const both = ["10.0.2.15", "fd00::1"].map((address) => `${address} is InternalIP of node-1, node-2`);
  const told = { id: "address-shared", where: "2 nodes", nodes: ["node-1", "node-2"] };
  expect(findingsOf({ nodes })).toMatchObject([{ ...told, evidence: expect.arrayContaining([both.join(", ")]) }]);
  const addresses = [internal("10.0.2.16"), { type: "Hostname", address: "10.0.2.15" }];
  expect(idsOf({ nodes: edit.patched(nodes, "node-2", { status: { addresses } }) })).toEqual([]);
});

it.each([
  ["node-2", "its clock differs"],
  [/./, "their clocks differ"],
])("%s in words for one and for many: %s", (which, title) => {
  const conditions = [{ ...ready, lastHeartbeatTime: "2026-10-31T23:00:00Z" }];
  const all = findingsOf(edit.changing("nodes", which, { status: { conditions } }));
  expect(all[0]).toMatchObject({ title });
});

const clocksOf = { "10-31T23:49": "11 min behind", "11-01T01:05": "65 min ahead", "10-31T23:51": undefined };
it.each(Object.entries(clocksOf))("nodes of which one reported last at %s by its own clock: %s", (minute, told) => {
  const conditions = [{ ...ready, lastHeartbeatTime: `2026-${minute}:00Z` }];
  const evidence = expect.arrayContaining([expect.stringContaining(told ?? "")]) as unknown;
  const differs = { id: "clock-differs", where: "node node-2", evidence };
  expect(found(edit.changing("nodes", "node-2", { status: { conditions } }))).toMatchObject(told ? [differs] : []);
});

it("nodes are an error if the only pods of the cluster DNS are there", () => {
  const pods = edit.patched(is.pods, /^coredns-/, { spec: { nodeName: "node-2" }, status: { conditions: unready } });
  expect(found({ nodes: down("node-2"), pods })[0]).toMatchObject({ id: "dns-node-not-ready", where: "node node-2" });
});

it("nodes that should have a cache and have none", () => {
  expect(found(edit.lacking("pods", "node-local-dns-1"))).toContainEqual(
    expect.objectContaining({ id: "no-pod-here", where: "node node-2" }),
  );
});

it.each([
  ["one node", ["node-1", "node-1"], ["a", "a"], ["dns-on-one-node"]],
  ["one zone", ["node-1", "node-2"], ["a", "a"], ["dns-in-one-zone"]],
  ["two zones", ["node-1", "node-2"], ["a", "b"], []],
])("nodes of which %s has all pods of the cluster DNS although others are free", (_, placed, zones, ids) => {
  const labelled = [...is.nodes, ...edit.patched(is.nodes.slice(1), /./, { metadata: { name: "node-3" } })];
  const nodes = labelled.map((node, i) =>
    edit.merged(node as never, { metadata: { labels: { "topology.kubernetes.io/zone": zones[i] ?? "c" } } }),
  ) as never;
  const at = (all: readonly Pod[], i: number) => edit.patched(all, `coredns-${i}`, { spec: { nodeName: placed[i] } });
  const pods = at(at(is.pods, 0), 1);
  const lastOf = (of: readonly Pod[]) => {
    const all = findingsOf({ nodes, pods: of }).filter(({ id }) => id.startsWith("dns-"));
    expect(all.map(({ id }) => id)).toEqual(ids);
    return commands(all[0]).at(-1) ?? "";
  };
  // The scheduler avoids the node of a pod that is being deleted, too.
  const deletionTimestamp = "2026-11-01T00:00:00Z";
  const deleting = edit.copied(pods, "coredns-0", { metadata: { name: "coredns-0-old", deletionTimestamp } });
  const mends = [pods, deleting].map(lastOf);
  expect(mends.map((mend) => mend.includes("# once deleted pods are gone: "))).toEqual([false, ids.length > 0]);
  // Only the other one gets queries.
  const [gone] = pods.find(({ metadata }) => metadata.name === "coredns-1")?.status?.podIPs ?? [];
  const endpointSlices = is.endpointSlices.map((slice) => ({
    ...slice,
    endpoints: slice.endpoints?.filter(({ addresses }) => addresses[0] !== gone?.ip) ?? [],
  }));
  const spared = findingsOf({ nodes, pods, endpointSlices }).find(({ id }) => id === ids[0]);
  expect(spared && commands(spared).at(-1)).toEqual(ids[0] && expect.stringContaining("delete pod coredns-1"));
});
