import { expect, it } from "vitest";
import { jsonPatch } from "../../../src/model/kubernetes/json-patch";
import { unlikeRendered } from "../../../src/model/kubernetes/unlike-rendered";

const port = (name: string, protocol: string) => ({ name, port: 53, protocol });
const [udp, tcp, other] = [port("dns", "UDP"), port("dns-tcp", "TCP"), port("other", "UDP")];

const sctp = { ...tcp, protocol: "SCTP" };
const removed = (place: number) => ({ op: "remove", path: `/spec/ports/${place}` });
const added = { op: "add", path: "/spec/ports/-", value: tcp };

it.each([
  ["a port that is missing, and one too many", [other, udp], [removed(0), added]],
  // As keys of a mapping, whole numbers come in their own order.
  ["ports too many that numbers name", [udp, tcp, port("2", "UDP"), port("1", "UDP")], [removed(3), removed(2)]],
  ["no port at all", undefined, [{ op: "add", path: "/spec/ports", value: [udp, tcp] }]],
  ["another protocol", [udp, sctp], [{ op: "add", path: "/spec/ports/1/protocol", value: "TCP" }]],
])("%s", (_, ports, expected) => {
  const running = { apiVersion: "v1", kind: "Service", metadata: { name: "kube-dns" }, spec: { ports } };
  const spec = { ports: [udp, tcp] };
  expect(jsonPatch(running, { spec }, unlikeRendered(running.spec, spec, ["spec"]))).toEqual(expected);
});
