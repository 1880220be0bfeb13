import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { root } from "./repository";

it("docs/cluster-file.md matches the schema (else: npm run generate)", async () => {
  const { clusterFileDocs } = (await import(pathToFileURL(join(root, "scripts/cluster-file-docs.mjs")).href)) as {
    clusterFileDocs(schema: unknown): string;
  };
  const schema: unknown = JSON.parse(readFileSync(join(root, "clusters/schema.json"), "utf8"));
  expect(readFileSync(join(root, "docs/cluster-file.md"), "utf8")).toBe(clusterFileDocs(schema));
});

it("the pictures of docs/modes.md match the paths of queries (else: npm run generate)", () => {
  const script = join(root, "scripts/query-path-pictures.mjs");
  expect(spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" }).stderr).toBe("");
  const page = readFileSync(join(root, "docs/modes.md"), "utf8");
  for (const picture of readdirSync(join(root, "docs/paths"))) expect(page).toContain(`](paths/${picture})`);
});

it("the pictures of docs/monitoring.md show today's dashboard (else: npm run panels)", () => {
  const script = join(root, "bench/panels.mjs");
  expect(spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" }).stderr).toBe("");
  const page = readFileSync(join(root, "docs/monitoring.md"), "utf8");
  const pictures = readdirSync(join(root, "docs/panels")).filter((file) => file.endsWith(".svg"));
  for (const picture of pictures) expect(page).toContain(`](panels/${picture})`);
});

it("the owner of the repository is said in the sources that --owner changes, and what follows from them", async () => {
  const { sources } = (await import(pathToFileURL(join(root, "scripts/owner.mjs")).href)) as { sources: string[] };
  const named = ["package.json", ...filesBelow("src"), ...filesBelow("scripts")].filter((file) =>
    readFileSync(join(root, file), "utf8").includes("github.com/OWNER/cdk8s-cluster-dns"),
  );
  expect(named.filter((file) => !file.endsWith("validate.js")).sort()).toEqual([...sources].sort());
});

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
