import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { synthesize } from "../src/output/synthesize";
import { root } from "./repository";

it("the schemas are what the interfaces say (else: npm run generate)", () => {
  const { stderr } = spawnSync(process.execPath, [join(root, "scripts/generate.mjs"), "--check"], { encoding: "utf8" });
  expect(stderr).toBe("");
});

it("docs/cluster-file.md is what the schema says (else: npm run generate)", async () => {
  const { clusterFileDocs } = (await import(pathToFileURL(join(root, "scripts/cluster-file-docs.mjs")).href)) as {
    clusterFileDocs(schema: unknown): string;
  };
  const schema: unknown = JSON.parse(readFileSync(join(root, "clusters/schema.json"), "utf8"));
  expect(readFileSync(join(root, "docs/cluster-file.md"), "utf8")).toBe(clusterFileDocs(schema));
});

describe("dist/ is what the cluster files say (else: npm run synth)", () => {
  const clusters = readdirSync(join(root, "clusters")).filter((file) => file.endsWith(".yaml"));
  let rendered: string;
  beforeAll(() => {
    rendered = mkdtempSync(join(tmpdir(), "dist-"));
    synthesize(join(root, "clusters"), rendered);
  });
  afterAll(() => rmSync(rendered, { recursive: true }));

  it("for no other cluster", () => {
    expect(readdirSync(join(root, "dist")).map((name) => `${name}.yaml`)).toEqual(clusters);
  });

  it.each(clusters)("%s", (file) => {
    const name = file.replace(".yaml", "");
    expect(contents(join(root, "dist", name))).toEqual(contents(join(rendered, name)));
  });
});

function contents(folder: string): { [path: string]: string } {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]),
  );
}
