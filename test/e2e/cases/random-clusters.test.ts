import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consoleProgress } from "../../../rig/progress";
import { buildTools, tool } from "../../../rig/tools";
import { renderCluster } from "../../../src/charts/render-cluster";
import { validClusters } from "../../properties/clusters";

describe("Kubernetes' validation", () => {
  let program: ChildProcess & { stdin: object; stdout: object };
  let answers: AsyncIterator<string>;

  beforeAll(async () => {
    await buildTools(consoleProgress(), ["kubernetes-validation"]);
    program = spawn(tool("kubernetes-validation", "kubernetes-validation"), { stdio: ["pipe", "pipe", "inherit"] });
    answers = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  });
  afterAll(() => program?.stdin.end());

  async function problemsOf(objects: readonly object[]): Promise<unknown> {
    program.stdin.write(`${JSON.stringify(objects)}\n`);
    const { value } = await answers.next();
    return JSON.parse(String(value));
  }

  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "b" } };

  it.each([
    ["a key that the kind does not have", { ...configMap, dta: {} }, /dta/],
    ["a value of another type", { ...configMap, data: { a: 1 } }, /data/],
    ["a value that is not accepted", { ...configMap, metadata: { name: "A", namespace: "b" } }, /metadata\.name/],
    ["a version that the kind does not have", { ...configMap, apiVersion: "v2" }, /no kind "ConfigMap" is registered/],
    ["a kind that the program does not know", { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }, /Pod/],
  ])("refuses %s", async (_what, object, problem) => {
    expect(await problemsOf([configMap, object])).toEqual([expect.stringMatching(problem)]);
  });

  it("accepts the objects of every description that the check accepts", async () => {
    const property = fc.asyncProperty(validClusters(), async ({ cluster }) => {
      const objects = renderCluster(cluster).components.flatMap((component) => component.objects);
      expect(await problemsOf(objects)).toEqual([]);
    });
    await fc.assert(property, { numRuns: 300, endOnFailure: true });
  });
});
