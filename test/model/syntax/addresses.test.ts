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
  it.each([
    ["10.96.0.10", "IPv4"],
    ["255.255.255.255", "IPv4"],
    ["fd00:96::a", "IPv6"],
    ["FD00:96:0:0:0:0:0:A", "IPv6"],
    ["::", "IPv6"],
    ["::ffff:10.96.0.10", "IPv6"],
    // Short and octal forms that inet_aton accepts, but not CoreDNS or Kubernetes.
    ["10.96", undefined],
    ["010.96.0.10", undefined],
    ["0x0a.96.0.10", undefined],
    ["10.96.0.256", undefined],
    ["10.96.0.10/32", undefined],
    // A scope names an interface of one machine.
    ["fe80::1%eth0", undefined],
    ["fd00::1::2", undefined],
    ["[fd00::1]", undefined],
    ["", undefined],
    [" 10.96.0.10", undefined],
    ["kube-dns.kube-system", undefined],
  ])("of %j is %s", (text, family) => expect(familyOf(text)).toBe(family));

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
  it.each(Object.entries({ "FD00:0096:0:0::000A": "fd00:96::a", ...same }))("%s is %s", (text, canonical) =>
    expect(canonicalAddress(text)).toBe(canonical),
  );

  // A server asked at its mapped address is the same server: the spelling could otherwise hide a loop.
  it("an IPv4 address mapped into IPv6 is the IPv4 address", () => {
    expect(canonicalAddress("::ffff:10.96.0.10")).toBe("10.96.0.10");
  });
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
    ["10.96.0.0/16", "IPv4"],
    ["10.96.0.10/32", "IPv4"],
    ["fd00:96::/112", "IPv6"],
    ["::/0", "IPv6"],
    ["10.96.0.0/33", undefined],
    ["fd00::/129", undefined],
    ["10.96.0.0", undefined],
    ["10.96.0.0/", undefined],
    ["10.96.0.0/-1", undefined],
    ["10.96.0.0/16/8", undefined],
    ["10.96/16", undefined],
    ["/16", undefined],
  ])("%j has the family %s", (cidr, family) => expect(familyOfCIDR(cidr)).toBe(family));

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
  ["9.9.9.9:0", undefined],
  ["9.9.9.9:65536", undefined],
  ["9.9.9.9:", undefined],
  ["[9.9.9.9]:53", undefined],
  ["[2620:fe::fe]", undefined],
  ["dns.quad9.net", undefined],
  ["tls://9.9.9.9", undefined],
  ["9.9.9.9 8.8.8.8", undefined],
  ["/etc/resolv.conf", undefined],
  ["{$HOME}", undefined],
])("a server: %j is read as %j", (text, server) => expect(parseServer(text)).toEqual(server));
