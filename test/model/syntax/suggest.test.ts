import { expect, it } from "vitest";
import { suggest } from "../../../src/model/syntax/suggest";

const modes = ["iptables", "nftables", "ipvs", "none"];

const words = {
  ipv: "ipvs",
  IPVS: "ipvs",
  iptable: "iptables",
  ip_tables: "iptables",
  nftable: "nftables",
  non: "none",
};
it.each(Object.entries(words))("%s was meant as %s", (got, meant) =>
  expect(suggest(got, modes)).toBe(`; did you mean ${meant}?`),
);

it.each<[got: string, accepted: string[]]>([
  ...["", "userspace", "kernelspace", "x"].map((got): [string, string[]] => [got, modes]),
  // They share only an ending.
  ["duration", ["federation"]],
  ["ipvs", []],
])("%j is like none of %j", (got, accepted) => expect(suggest(got, accepted)).toBe(""));
