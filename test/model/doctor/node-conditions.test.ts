import { describe, expect, it } from "vitest";
import type { Pod } from "../../../src/model/kubernetes/kinds";
import { commands, findingsOf, found, healthy, idsOf, patched, replaced } from "./healthy";

const is = healthy();
const unready = [{ type: "Ready", status: "False" }];

describe("nodes", () => {
  const down = (name: string) =>
    patched(is.nodes, name, { status: { conditions: [{ type: "Ready", status: "Unknown" }] } });

  it("that are not ready come first, and nothing is said of their pods", () => {
    // Each workload's second pod is there.
    const pods = patched(is.pods, /-1$/, { status: { conditions: unready } });
    const [first, ...more] = found({ nodes: down("node-2"), pods });
    expect([first, more]).toMatchObject([{ id: "node-not-ready", where: "node node-2" }, []]);
  });

  it("that came back under another name are there twice", () => {
    const addresses = [{ type: "InternalIP", address: "192.0.2.1" }];
    const nodes = patched(down("node-2"), /./, { status: { addresses } });
    expect(found({ nodes })[0]?.evidence.at(-1)).toContain("node-1 has the same address: if node-2 was renamed");
  });

  const ready = { type: "Ready", status: "True" };
  it.each([
    ["True", ["network-unavailable"]],
    ["False", []],
  ])("that are ready, and whose NetworkUnavailable is %s", (status, ids) => {
    const reason = { reason: "NoRouteCreated", message: "no route" };
    const nodes = patched(is.nodes, "node-2", {
      status: { conditions: [ready, { type: "NetworkUnavailable", status, ...reason }] },
    });
    const all = found({ nodes });
    expect(all.map(({ id, where }) => [id, where])).toEqual(ids.map((id) => [id, "node node-2"]));
    if (ids.length > 0) expect(all[0]?.evidence[0]).toBe("NoRouteCreated: no route");
    // Of one that is down, that is said.
    expect(idsOf({ nodes: patched(down("node-2"), "node-2", { metadata: {} }) })).toEqual(["node-not-ready"]);
  });

  it("that have one address, each once", () => {
    const internal = (address: string) => ({ type: "InternalIP", address });
    const nodes = patched(is.nodes, /./, { status: { addresses: [internal("10.0.2.15"), internal("fd00::1")] } });
    const [finding, ...others] = findingsOf({ nodes });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ id: "address-shared", where: "2 nodes", nodes: ["node-1", "node-2"] });
    expect(finding?.evidence[1]).toBe(
      "10.0.2.15 is InternalIP of node-1, node-2, fd00::1 is InternalIP of node-1, node-2",
    );
    const apart = patched(nodes, "node-2", {
      status: { addresses: [internal("10.0.2.16"), { type: "Hostname", address: "10.0.2.15" }] },
    });
    expect(idsOf({ nodes: apart })).toEqual([]);
  });

  it.each([
    ["node-2", "its clock differs"],
    [/./, "their clocks differ"],
  ])("%s in words for one and for many: %s", (which, title) => {
    const conditions = [{ ...ready, lastHeartbeatTime: "2026-10-31T23:00:00Z" }];
    expect(findingsOf({ nodes: patched(is.nodes, which, { status: { conditions } }) })[0]).toMatchObject({ title });
  });

  const clocksOf = {
    "2026-10-31T23:49": ["11 min behind"],
    "2026-11-01T01:05": ["65 min ahead"],
    "2026-10-31T23:51": [],
  };
  it.each(Object.entries(clocksOf))("of which one reported last at %s by its own clock", (minute, told) => {
    const lastHeartbeatTime = `${minute}:00Z`;
    const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime }];
    const nodes = patched(is.nodes, "node-2", { status: { conditions } });
    const clocks = found({ nodes });
    expect(clocks.map(({ id, where }) => [id, where])).toEqual(told.map(() => ["clock-differs", "node node-2"]));
    expect(clocks[0]?.evidence[0] ?? "").toContain(told[0] ?? "");
  });

  it("are an error if the only pods of the cluster DNS are there", () => {
    const pods = patched(is.pods, /^coredns-/, { spec: { nodeName: "node-2" }, status: { conditions: unready } });
    expect(found({ nodes: down("node-2"), pods })[0]).toMatchObject({ id: "dns-node-not-ready", where: "node node-2" });
  });

  it("that should have a cache and have none", () => {
    const pods = replaced(is.pods, "node-local-dns-1", () => undefined);
    expect(found({ pods })).toContainEqual(expect.objectContaining({ id: "no-pod-here", where: "node node-2" }));
  });

  it.each([
    ["one node", ["node-1", "node-1"], ["a", "a"], ["dns-on-one-node"]],
    ["one zone", ["node-1", "node-2"], ["a", "a"], ["dns-in-one-zone"]],
    ["two zones", ["node-1", "node-2"], ["a", "b"], []],
  ])("of which %s has all pods of the cluster DNS although others are free", (_, placed, zones, ids) => {
    const zone = (name: string) => ({ "kubernetes.io/os": "linux", "topology.kubernetes.io/zone": name });
    const [first, second] = is.nodes;
    if (!first || !second) throw new Error("two nodes are expected");
    const nodes = [first, second, { ...second, metadata: { name: "node-3" } }].map((node, i) => ({
      ...node,
      metadata: { ...node.metadata, labels: zone(zones[i] ?? "c") },
    }));
    let n = 0;
    const pods = replaced(is.pods, /^coredns-/, (p) => ({ ...p, spec: { ...p.spec, nodeName: placed[n++] ?? "" } }));
    const lastOf = (of: readonly Pod[]) => {
      const all = findingsOf({ nodes, pods: of }).filter(({ id }) => id.startsWith("dns-"));
      expect(all.map(({ id }) => id)).toEqual(ids);
      return commands(all[0]).at(-1) ?? "";
    };
    // The scheduler avoids the node of a pod that is being deleted, too.
    const deleted = pods.filter(({ metadata }) => metadata.name === "coredns-0").map(beingDeleted);
    const mends = [pods, [...pods, ...deleted]].map(lastOf);
    expect(mends.map((mend) => mend.includes("# once deleted pods are gone: "))).toEqual([false, ids.length > 0]);
    // Only the other one gets queries.
    const [gone = ""] =
      pods.find(({ metadata }) => metadata.name === "coredns-1")?.status?.podIPs?.map(({ ip }) => ip) ?? [];
    const endpointSlices = is.endpointSlices.map((slice) => ({
      ...slice,
      endpoints: slice.endpoints?.filter(({ addresses }) => !addresses.includes(gone)) ?? [],
    }));
    const spared = findingsOf({ nodes, pods, endpointSlices }).find(({ id }) => id === ids[0]);
    expect(spared && commands(spared).at(-1)).toEqual(ids[0] && expect.stringContaining("delete pod coredns-1"));
  });
});

function beingDeleted(of: Pod): Pod {
  return {
    ...of,
    metadata: { ...of.metadata, name: `${of.metadata.name}-old`, deletionTimestamp: "2026-11-01T00:00:00Z" },
  };
}
