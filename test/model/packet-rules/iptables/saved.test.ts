import { expect, it } from "vitest";
import { ownLines, withTables } from "../../../../src/model/packet-rules/iptables/saved";

const saved = (raw: string, nat: string) => `*raw\n${raw}\nCOMMIT\n*nat\n${nat}\nCOMMIT\n`;

it.each([
  ["raw", "*raw\n:NODE-LOCAL-DNS - [0:0]\nCOMMIT\n", saved(":NODE-LOCAL-DNS - [0:0]", ":B - [0:0]")],
  ["nat", "*nat\n:NODE-LOCAL-DNS - [0:0]\nCOMMIT\n", saved(":A - [0:0]", ":NODE-LOCAL-DNS - [0:0]")],
  ["neither", "", saved(":A - [0:0]", ":B - [0:0]")],
])("tables that were written again take their place, whichever they are: %s", (_, other, whole) => {
  const all = withTables(saved(":A - [0:0]", ":B - [0:0]"), other);
  expect(all).toBe(whole);
  expect(ownLines(all)).toEqual(ownLines(whole));
});
