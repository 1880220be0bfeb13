import { expect, it } from "vitest";
import { nameserverFault, nodeNameservers, ownAddresses } from "../../../src/model/query-path/nameservers";

const own = ownAddresses(["10.96.0.10", "fd00:96::a"], ["169.254.20.10", "fd00:169:254:20::10"]);

it.each([
  ["10.96.0.10", "own"],
  ["fd00:96:0::a", "own"],
  ["::ffff:10.96.0.10", "own"],
  // The cache's link-local address, and the two after it.
  ["169.254.20.10", "own"],
  ["169.254.20.12", "own"],
  ["fd00:169:254:20::12", "own"],
  ["127.0.0.53", "loopback"],
  ["::1", "loopback"],
  ["0.0.0.0", "loopback"],
  ["169.254.169.253", undefined],
  ["10.96.0.11", undefined],
  ["fe80::1%eth0", undefined],
])("%s as a server for names outside: %s", (address, fault) => expect(nameserverFault(address, own)).toBe(fault));

// Without any server CoreDNS would not start, and pods would lose the cache for the cluster's names, too.
it.each<[what: string, listed: string[], servers: string[], unusable: string[]]>([
  ["servers outside", ["192.0.2.1", "192.0.2.2"], ["192.0.2.1", "192.0.2.2"], []],
  ["the cluster DNS beside one outside", ["10.96.0.10", "192.0.2.1"], ["192.0.2.1"], ["10.96.0.10"]],
  ["the cluster DNS alone", ["10.96.0.10"], ["169.254.20.12"], ["10.96.0.10"]],
  ["a resolver of the node", ["127.0.0.53"], ["127.0.0.53", "169.254.20.12"], ["127.0.0.53"]],
  ["that beside one outside", ["127.0.0.53", "192.0.2.1"], ["127.0.0.53", "192.0.2.1"], ["127.0.0.53"]],
  ["no server", [], ["169.254.20.12"], ["none"]],
])("a cache whose node names %s never asks itself, and always somebody", (_, listed, servers, unusable) => {
  expect(nodeNameservers(listed, own, ["169.254.20.12"])).toEqual({ servers, unusable });
});
