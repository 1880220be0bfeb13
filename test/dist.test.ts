import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { synthesize } from "../src/output/synthesize";
import { namesIn, root } from "./repository";
import { temporaryFolder } from "./temporary-folder";

describe("dist/ matches the cluster files (else: npm run synth)", () => {
  const clusters = namesIn("clusters").filter((file) => file.endsWith(".yaml"));
  const rendered = temporaryFolder("dist");
  beforeAll(() => synthesize({ clustersFolder: join(root, "clusters"), outputFolder: rendered }));

  it("and has no other cluster", () => {
    expect(namesIn("dist").map((name) => `${name}.yaml`)).toEqual(clusters);
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
