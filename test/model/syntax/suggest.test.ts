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

it.each(["", "userspace", "kernelspace", "x"])("%j is like none of them", (got) => {
  expect(suggest(got, modes)).toBe("");
});

it("words that share only an ending are not alike", () => expect(suggest("duration", ["federation"])).toBe(""));

it("without accepted words there is no suggestion", () => expect(suggest("ipvs", [])).toBe(""));
