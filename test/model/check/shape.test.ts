import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../repository";

interface Schema {
  readonly description?: string;
  readonly properties?: { readonly [key: string]: Schema };
  readonly definitions?: { readonly [name: string]: Schema };
}

const schema = JSON.parse(readFileSync(join(root, "clusters/schema.json"), "utf8")) as Schema;

describe("an editor can explain every key", () => {
  const mappings = { ClusterDnsProps: schema, ...schema.definitions };
  const keys = Object.entries(mappings).flatMap(([mapping, { properties = {} }]) =>
    Object.entries(properties).map(([key, { description }]) => ({ key: `${mapping}.${key}`, description })),
  );

  it("there are some", () => {
    expect(keys.length).toBeGreaterThan(50);
  });

  it("each is described", () => {
    // The keys of linear autoscaling speak for themselves: their parent explains the formula.
    const plain = /^AutoscalerOptions\.(coresPerReplica|nodesPerReplica|min|max)$/;
    expect(keys.filter(({ key, description }) => !description && !plain.test(key)).map(({ key }) => key)).toEqual([]);
  });
});
