import { isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addressRange,
  canonicalAddress,
  familyOf,
  familyOfCIDR,
  inCIDR,
  parseServer,
} from "../../../src/model/syntax/addresses";

describe("the family of an address", () => {
  // A scope names an interface of one machine.
  const none = ["fe80::1%eth0", "10.96.0.10/32", "[fd00::1]", "", " 10.96.0.10", "kube-dns.kube-system"];
  it.each(none)("of %j is none", (text) => expect(familyOf(text)).toBe(undefined));

  it("agrees with the operating system, for any address and any near miss", () => {
    const nearMiss = fc.stringMatching(/^[0-9a-f:.]{0,24}$/);
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), nearMiss), (text) => {
        expect(familyOf(text)).toBe({ 0: undefined, 4: "IPv4", 6: "IPv6" }[isIP(text)]);
      }),
    );
  });
});

describe("one spelling for each address", () => {
  const same = { "10.96.0.10": "10.96.0.10", "not an address": "not an address" };
  // A server asked at its mapped address is the same server: the spelling could otherwise hide a loop.
  const mapped = { "::ffff:10.96.0.10": "10.96.0.10" };
  it.each(Object.entries({ "FD00:0096:0:0::000A": "fd00:96::a", ...same, ...mapped }))("%s is %s", (text, canonical) =>
    expect(canonicalAddress(text)).toBe(canonical),
  );
});

it.each([
  ["169.254.20.10", "linkLocal"],
  ["10.96.0.10", "private"],
  ["127.0.0.53", "loopback"],
  ["fd00:169:254:20::10", "uniqueLocal"],
  ["fe80::1", "linkLocal"],
  ["0.0.0.0", "unspecified"],
])("%s is a %s address", (address, range) => expect(addressRange(address)).toBe(range));

describe("a CIDR", () => {
  it.each([
    ["IPv4", ["10.96.0.0/16", "10.96.0.10/32"]],
    ["IPv6", ["fd00:96::/112", "::/0"]],
    [undefined, "10.96.0.0/33 fd00::/129 10.96.0.0 10.96.0.0/ 10.96.0.0/-1 10.96.0.0/16/8 10.96/16 /16".split(" ")],
  ])("has the family %s: %j", (family, all) => expect(all.map(familyOfCIDR)).toEqual(all.map(() => family)));

  it.each([
    ["10.96.0.10", "10.96.0.0/16", true],
    ["10.97.0.10", "10.96.0.0/16", false],
    ["10.97.0.10", "10.96.0.0/12", true],
    ["fd00:96::a", "fd00:96::/112", true],
    ["fd00:97::a", "fd00:96::/112", false],
    ["10.96.0.10", "fd00:96::/112", false],
    ["fd00:96::a", "10.96.0.0/16", false],
  ])("%s lies in %s: %s", (address, cidr, inside) => expect(inCIDR(address, cidr)).toBe(inside));
});

it.each([
  ["9.9.9.9", { address: "9.9.9.9" }],
  ["9.9.9.9:5353", { address: "9.9.9.9", port: 5353 }],
  ["2620:fe::fe", { address: "2620:fe::fe" }],
  ["[2620:fe::fe]:5353", { address: "2620:fe::fe", port: 5353 }],
  ["9.9.9.9:65535", { address: "9.9.9.9", port: 65535 }],
])("a server: %j is read as %j", (text, server) => expect(parseServer(text)).toEqual(server));

const noServers =
  "9.9.9.9:0 9.9.9.9:65536 9.9.9.9: [9.9.9.9]:53 [2620:fe::fe] dns.quad9.net tls://9.9.9.9 {$HOME}".split(" ");
it.each([...noServers, "9.9.9.9 8.8.8.8", "/etc/resolv.conf"])("%j is no server", (text) => {
  expect(parseServer(text)).toBe(undefined);
});
