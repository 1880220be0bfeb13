import { expect, test } from "vitest";
import { hasChain, inputChainsThatDrop } from "../../../../src/model/packet-rules/nft/listed-chains";

const chain = (name: string, ...lines: string[]) =>
  `\tchain ${name} {\n${lines.map((line) => `\t\t${line}\n`).join("")}\t}\n`;
const listed = [
  `table ip filter {\n${chain("INPUT", "type filter hook input priority filter; policy drop;")}`,
  `${chain("FORWARD", "type filter hook forward priority filter; policy drop;")}${chain("INPUT-pods")}}\n`,
  `table inet fw {\n${chain("in", "type filter hook input priority filter + 5; policy accept;")}${chain("later")}`,
  `${chain("last", 'comment "of the node"', "type filter hook input priority 10; policy drop;")}}\n`,
].join("");

test("chains that drop packets to the node by policy", () => {
  expect(inputChainsThatDrop(listed)).toEqual([
    { family: "ip", table: "filter", name: "INPUT" },
    { family: "inet", table: "fw", name: "last" },
  ]);
});

const there = { "ip filter INPUT": true, "ip filter INPUT-pods": true, "inet fw last": true };
test.each(Object.entries({ ...there, "ip filter last": false, "ip6 filter INPUT": false }))(
  "%s is there: %s",
  (which, isThere) => {
    const [family = "", table = "", name = ""] = which.split(" ");
    expect(hasChain(listed, { family, table, name })).toBe(isThere);
  },
);
