import { expect, it } from "vitest";
import { importScript } from "./repository";
import { emptyFolder, putFile } from "./temporary-folder";

const folder = emptyFolder("folder-circles");

async function circles(files: { readonly [path: string]: string }): Promise<string[]> {
  for (const [path, text] of Object.entries(files)) putFile(folder, path, text);
  const { folderCircles } = await importScript<{ folderCircles(of: string): string[] }>("folder-circles.mjs");
  return folderCircles(folder);
}

it("the lint step finds a circle of folders without a circle of files", async () => {
  const [found, ...others] = await circles({
    "a/one.ts": 'import { two } from "../b/two";',
    "b/two.ts": "export const two = 2;",
    "b/three.ts": 'export type { Four } from "../a/deep/four";',
    "a/deep/four.ts": "export type Four = 4;",
  });
  expect(found).toContain("a -> b -> a");
  expect(found).toContain("b/three.ts imports ");
  expect(others).toEqual([]);
});

it("a folder may import from below and from its siblings", async () => {
  const files = {
    "a/main.ts": 'import { one } from "./deep/one";',
    "a/deep/one.ts": 'import { two } from "../two";\nimport { three } from "../../b/three";',
    "a/two.ts": "export const two = 2;",
    "b/three.ts": "export const three = 3;",
  };
  expect(await circles(files)).toEqual([]);
});
