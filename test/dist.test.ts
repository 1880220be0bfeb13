import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { synthesize } from "../src/output/synthesize";
import { root } from "./repository";

describe("dist/ matches the cluster files (else: npm run synth)", () => {
  const clusters = readdirSync(join(root, "clusters")).filter((file) => file.endsWith(".yaml"));
  let rendered: string;
  beforeAll(() => {
    rendered = mkdtempSync(join(tmpdir(), "dist-"));
    synthesize({ clustersFolder: join(root, "clusters"), outputFolder: rendered });
  });
  afterAll(() => rmSync(rendered, { recursive: true }));

  it("and has no other cluster", () => {
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
