import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../rig/seed";
import { renderCluster } from "../../src/charts/render-cluster";
import { effective } from "../../src/model/effective/effective";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { writtenOut } from "../model/effective/written-out";
import { resolve } from "../../src/model/check/resolve";
import { schema } from "../schema";
import { anyCluster, hostile, replaced, validClusters, type ValidCluster } from "./clusters";
import { violations } from "./invariants";

function expectProblemsOrGoodObjects(value: unknown): "refused" | "rendered" {
  const { cluster: resolved, problems = [] } = resolve(value);
  for (const { path, message } of problems) {
    expect(message).not.toBe("");
    expect(path.every((step) => ["string", "number"].includes(typeof step))).toBe(true);
  }
  if (!resolved) return "refused";
  const rendered = renderCluster(resolved);
  expect(violations(resolved, rendered)).toEqual([]);
  expect(JSON.stringify(renderCluster(resolved))).toBe(JSON.stringify(rendered));
  return "rendered";
}

/** `explain` shows values that, written out, describe the same cluster. */
function expectEffectiveValuesToRenderTheSame({ description, cluster }: ValidCluster): void {
  const props: Partial<ClusterDnsProps> = description;
  const { cluster: again, problems } = resolve(writtenOut(effective(props as ClusterDnsProps, cluster)));
  expect(problems).toBeUndefined();
  expect(again && renderCluster(again)).toEqual(renderCluster(cluster));
}

describe("any value is either refused, with located problems, or yields objects that keep the invariants", () => {
  it("of the schema's shape", () => {
    const seen = { refused: 0, rendered: 0 };
    fc.assert(
      fc.property(anyCluster, (value) => {
        seen[expectProblemsOrGoodObjects(value)]++;
      }),
      { numRuns: runs(600) },
    );
    // Otherwise the arbitrary is worthless.
    expect(seen.refused).toBeGreaterThan(10);
    expect(seen.rendered).toBeGreaterThan(10);
  });

  it("of any accepted description: its values in effect, written out, render the same objects", () => {
    const wanted = {
      ClusterDnsProps: ["agentImage", "smokeTest", "nodeLocalDNS"],
      NodeLocalDnsOptions: ["searchPath"],
    };
    const some = fc.oneof(validClusters(), validClusters(wanted));
    fc.assert(fc.property(some, expectEffectiveValuesToRenderTheSame), { numRuns: runs(50) });
  });

  it("of no shape at all", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withObjectString: true }), (value) => {
        expectProblemsOrGoodObjects(value);
      }),
      { numRuns: runs(300) },
    );
  });

  it("of the schema's shape except for one part", () => {
    const part = fc.oneof(fc.jsonValue({ maxDepth: 2 }), hostile);
    const key = fc.constantFrom(...Object.keys(schema.properties ?? {}), "nodeLocalDns");
    fc.assert(
      fc.property(anyCluster, key, part, (value, spoilt, by) => {
        expectProblemsOrGoodObjects({ ...value, [spoilt]: by });
      }),
      { numRuns: runs(300) },
    );
  });

  it("of the schema's shape except for one part, however deep", () => {
    const part = fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 1 }), hostile);
    fc.assert(
      fc.property(anyCluster, fc.nat(), part, (value, which, by) => {
        const paths = pathsIn(value);
        expectProblemsOrGoodObjects(replaced(value, paths[which % paths.length] ?? [], by));
      }),
      { numRuns: runs(600) },
    );
  });
});

function pathsIn(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([key, child]) => pathsIn(child).map((path) => [key, ...path]))];
}
