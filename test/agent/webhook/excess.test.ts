import { expect, it } from "vitest";
import { excessIn } from "../../../src/agent/webhook/excess";

const lists = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

it.each<[name: string, text: string, excess: RegExp | undefined]>([
  ["100 levels", lists(100), undefined],
  ["101 levels", lists(101), /deeper than 100/],
  ["lists beside each other", `[${"[],".repeat(90_000)}0]`, undefined],
  ["too many of them", `[${"[],".repeat(110_000)}0]`, /more than 200000 values/],
  ["too many numbers", `[${"0,".repeat(200_001)}0]`, /more than 200000 values/],
  ["brackets and commas in a text", `["${"[{,".repeat(300_000)}"]`, undefined],
  ["behind an escaped quote", `["\\"${"[".repeat(200)}"]`, undefined],
  ["behind an escaped backslash", `["\\\\",${lists(101)}]`, /deeper than 100/],
])("%s", (_name, text, excess) => {
  expect(excessIn(Buffer.from(text))).toEqual(excess && expect.stringMatching(excess));
});
