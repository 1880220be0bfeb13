import { expect, it } from "vitest";
import { jsonPatch } from "../../../src/model/kubernetes/json-patch";
import { unlikeRendered } from "../../../src/model/kubernetes/unlike-rendered";

const service = (spec: object) => {
  return { apiVersion: "v1", kind: "Service", metadata: { name: "kube-dns" }, spec: { ...spec } };
};
const port = (name: string, protocol: string) => ({ name, port: 53, protocol });
const [udp, tcp, other] = [port("dns", "UDP"), port("dns-tcp", "TCP"), port("other", "UDP")];

const sctp = { ...tcp, protocol: "SCTP" };
const removed = (place: number) => ({ op: "remove", path: `/spec/ports/${place}` });
const named = (place: number, value: string) => ({ op: "test", path: `/spec/ports/${place}/name`, value });
const added = { op: "add", path: "/spec/ports/-", value: tcp };

it.each([
  ["a port that is missing, and one too many", [other, udp], [named(0, "other"), removed(0), added]],
  // As keys of a mapping, whole numbers come in their own order.
  [
    "ports too many that numbers name",
    [udp, tcp, port("2", "UDP"), port("1", "UDP")],
    [named(3, "1"), named(2, "2"), removed(3), removed(2)],
  ],
  ["no port at all", undefined, [{ op: "add", path: "/spec/ports", value: [udp, tcp] }]],
  ["another protocol", [udp, sctp], [named(1, "dns-tcp"), { op: "add", path: "/spec/ports/1/protocol", value: "TCP" }]],
])("%s", (_, ports, expected) => {
  const spec = { ports: [udp, tcp] };
  expect(jsonPatch(service({ ports }), { spec }, unlikeRendered({ ports }, spec, ["spec"]))).toEqual(expected);
});

it("tests the whole of an item that has no name, and of two changes in one item its name once", () => {
  const patch = (spec: object, wanted: object) =>
    jsonPatch(service(spec), { spec: wanted }, unlikeRendered(spec, wanted, ["spec"]));
  const { name: _, ...unnamed } = udp;
  expect(patch({ ports: [{ ...unnamed, port: 54 }] }, { ports: [unnamed] })).toEqual([
    { op: "test", path: "/spec/ports/0", value: { ...unnamed, port: 54 } },
    { op: "add", path: "/spec/ports/0/port", value: 53 },
  ]);
  expect(patch({ args: ["a", "b"] }, { args: ["a", "c"] })).toEqual([
    { op: "test", path: "/spec/args/1", value: "b" },
    { op: "add", path: "/spec/args/1", value: "c" },
  ]);
  const twice = patch({ ports: [udp, { ...sctp, port: 54 }] }, { ports: [udp, tcp] });
  expect(twice.filter((each) => (each as { op: string }).op === "test")).toEqual([named(1, "dns-tcp")]);
});
