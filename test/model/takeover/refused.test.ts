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
  [
    "words that are read",
    ". { errors stdout; cache example; rewrite stop { name a b }; hosts { typo; ::1 a; fallthrough } }",
    [],
  ],
  ["no variable", ". { cache {$TTL}; forward . }", ["forward has 1 arguments; accepted: 2 to 16, in server block ."]],
  ["a TTL", ". { cache 0 }", ['cache has "0"; accepted: a TTL from 1, or zones, in server block .']],
  [
    "a share",
    ". { cache { prefetch 1 1m 9% } }",
    ['cache: prefetch has "9%"; accepted: 10% to 90%, in server block .'],
  ],
  ["a port", ". { health 8080 }", ['health has "8080"; accepted: [IP]:PORT, in server block .']],
  [
    "a late entry",
    ". { hosts { fallthrough; ::1 a } }",
    [expect.stringMatching(/^hosts has no option ::1; .*, in server/)],
  ],
])("CoreDNS may refuse %s", (_, text, why) => {
  expect(whyRefused(parseCorefile(spread(text)))).toEqual(why);
});
