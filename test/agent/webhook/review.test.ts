import { expect, it } from "vitest";
import { longestAnswer } from "../../../src/agent/webhook/limits";
import { answerReview, BadReview, type Verdict } from "../../../src/agent/webhook/review";
import { review, response } from "./reviews";

const long = "x".repeat(longestAnswer);

it.each<[what: string, guards: boolean, verdict: Verdict, allowed: boolean | undefined]>([
  ["a long patch", false, { allowed: true, patch: [{ op: "add", path: "/spec", value: long }] }, undefined],
  ["a long warning", false, { allowed: true, warnings: [long] }, undefined],
  ["a long message", false, { allowed: false, message: long }, false],
  ["a long message, each character escaped", false, { allowed: false, message: "\u0001".repeat(longestAnswer) }, false],
  ["a long message where it guards", true, { allowed: false, message: long }, false],
  ["a short message", false, { allowed: false, message: "no" }, false],
])("no answer is longer than its limit: %s", (_what, guards, verdict, allowed) => {
  // With keys in the order in which API servers write them.
  const { kind, apiVersion, request } = review("Pod", {}) as { [key: string]: unknown };
  const answer = () => answerReview(() => verdict, Buffer.from(JSON.stringify({ kind, apiVersion, request })), guards);
  if (allowed === undefined) return expect(answer).toThrow(BadReview);
  const { text } = answer();
  expect(response(text).allowed).toBe(allowed);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(longestAnswer);
});
