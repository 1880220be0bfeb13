import { expect, test } from "vitest";
import { renderNftSwitches } from "../../../../src/model/packet-rules/nft/switches";

const udp = { address: "10.96.0.10", protocol: "udp" } as const;
const tcp = { address: "10.96.0.10", protocol: "tcp" } as const;
const six = { address: "fd00:96::a", protocol: "tcp" } as const;
const off = { pods: [], host: [] };

test("a switch for pods is one element", () => {
  expect(renderNftSwitches(off, { ...off, pods: [udp, six] })).toBe(
    "add element inet node-local-dns pods4 { 10.96.0.10 . udp }\nadd element inet node-local-dns pods6 { fd00:96::a . tcp }\n",
  );
  expect(renderNftSwitches({ ...off, pods: [udp, tcp, six] }, { ...off, pods: [tcp, six] })).toBe(
    "add element inet node-local-dns pods4 { 10.96.0.10 . udp }\ndelete element inet node-local-dns pods4 { 10.96.0.10 . udp }\n",
  );
});

test("all of a family are turned off at once", () => {
  const all = [udp, tcp, six];
  const flushed = ["pods4", "host4", "host6"].map((set) => `flush set inet node-local-dns ${set}\n`).join("");
  expect(renderNftSwitches({ pods: all, host: all }, { pods: [six], host: [] })).toBe(flushed);
});

test("the host's is a set of its own", () => {
  const element = "element inet node-local-dns host4 { 10.96.0.10 . udp }\n";
  expect(renderNftSwitches(off, { ...off, host: [udp] })).toBe(
    `add ${element}add element inet node-local-dns watched { ipv4 }\n`,
  );
  expect(renderNftSwitches({ ...off, host: [udp, tcp] }, { ...off, host: [tcp] })).toBe(
    `add ${element}delete ${element}`,
  );
});

test("switches that stay as they are need no transaction", () => {
  expect(renderNftSwitches({ pods: [udp, six], host: [six] }, { pods: [six, udp], host: [six] })).toBe("");
});
