import { expect, it } from "vitest";
import { commonNode } from "../../../src/model/doctor/common-node";
import * as edit from "./edit";
import { findingsOf, healthy } from "./healthy";

const is = healthy();
const lost = edit.logged("[FATAL] plugin/ready: no");

it("is the node of the pods and watchdogs that everything wrong is about", () => {
  const findings = findingsOf({ ...lost, ...edit.measured("blocked 1") });
  expect(findings.map(({ nodes }) => nodes)).toEqual([["node-1"], ["node-1"]]);
  expect(commonNode(findings, is.nodes)).toBe("node-1");
  expect(commonNode(findings, is.nodes.slice(1))).toBeUndefined();
});

it("is none if one of them is elsewhere, or of no node", () => {
  const [first] = findingsOf(lost);
  if (!first) throw new Error("found nothing");
  const beside = (nodes?: string[]) => commonNode([first, { ...first, ...(nodes && { nodes }) }], is.nodes);
  expect(beside(["node-1"])).toBe("node-1");
  expect(beside(["node-2"])).toBeUndefined();
  expect(beside(["node-1", "node-2"])).toBeUndefined();
  const { nodes: _, ...nowhere } = first;
  expect(commonNode([first, nowhere], is.nodes)).toBeUndefined();
  expect(commonNode([first], is.nodes)).toBeUndefined();
});
