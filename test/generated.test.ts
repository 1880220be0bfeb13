import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, it } from "vitest";
import { importScript, namesIn, readText, root } from "./repository";
import { schema } from "./schema";

it("docs/cluster-file.md matches the schema (else: npm run generate)", async () => {
  const { clusterFileDocs } = await importScript<{ clusterFileDocs(of: unknown): string }>("cluster-file-docs.mjs");
  expect(readText("docs/cluster-file.md")).toBe(clusterFileDocs(schema));
});

it("the pictures of docs/modes.md match the paths of queries (else: npm run generate)", () => {
  expectPictures("scripts/query-path-pictures.mjs", "docs/modes.md", "paths");
});

it("the pictures of docs/monitoring.md show today's dashboard (else: npm run panels)", () => {
  expectPictures("bench/panels.mjs", "docs/monitoring.md", "panels");
});

it("the owner of the repository is said in the sources that --owner changes, and what follows from them", async () => {
  const { sources } = await importScript<{ sources: string[] }>("owner.mjs");
  const named = ["package.json", ...filesBelow("src"), ...filesBelow("scripts")].filter((file) =>
    readText(file).includes("github.com/OWNER/cdk8s-cluster-dns"),
  );
  expect(named.filter((file) => !file.endsWith("validate.js")).sort()).toEqual([...sources].sort());
});

/** The pictures of a folder are as a script draws them, and on the page. */
function expectPictures(script: string, file: string, folder: string): void {
  expect(spawnSync(process.execPath, [join(root, script), "--check"], { encoding: "utf8" }).stderr).toBe("");
  const page = readText(file);
  const pictures = namesIn(`docs/${folder}`).filter((each) => each.endsWith(".svg"));
  expect(pictures.filter((picture) => !page.includes(`](${folder}/${picture})`))).toEqual([]);
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
