import { expect, it } from "vitest";
import { spread } from "../../corefile-text";
import { parseCorefile } from "../../../src/model/corefile/parse";
import { whyRefused } from "../../../src/model/takeover/refused";

it.each([
  ["others", "x.example { log; log }; .:53 { hosts }; .:5353 { hosts }", []],
  ["twice", ".:53 { hosts { 10.1.1.1 a.example }; hosts { 10.1.1.2 b.example } }", ["hosts twice in server block ."]],
  ["a zone of two blocks", "x.example { any }; X.example.:53 { any }", ["two server blocks for x.example"]],
  ["a zone of two blocks, by views", "x.example { view a { expr true } }; x.example { any }", []],
  ["a zone of two blocks, by addresses", "y.example { bind ::1 }; y.example { bind ::2 }", []],
])("CoreDNS may refuse %s", (_, text, why) => {
  expect(whyRefused(parseCorefile(spread(text)))).toEqual(why);
});
