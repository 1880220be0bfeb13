import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { namesIn, root } from "../repository";

/** Folders that programs share; each other one is a program. */
const shared = ["dns", "hosts-file", "http", "kernel", "kube"];

const programs = readdirSync(join(root, "src/agent"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !shared.includes(entry.name))
  .map(({ name }) => name);

/** Every file of ours that a program may load. */
async function filesOf(program: string): Promise<string[]> {
  const folder = `src/agent/${program}`;
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: namesIn(folder).flatMap((file) => (file.endsWith(".ts") ? [`${folder}/${file}`] : [])),
    outdir: "unwritten",
    write: false,
    bundle: true,
    metafile: true,
    platform: "node",
    packages: "external",
    logLevel: "silent",
  });
  return Object.keys(metafile.inputs);
}

// While the API server is overloaded or gone, nodes keep their DNS (docs/threat-model.md).
it("only the webhook, which is on no node's network, can talk to the API server", async () => {
  const graphs = await Promise.all(programs.map(async (program) => [program, await filesOf(program)] as const));
  const callers = graphs.filter(([, files]) => files.some((file) => file.startsWith("src/agent/kube/")));
  expect(callers.map(([program]) => program)).toEqual(["webhook"]);
  expect(
    graphs.map(([program, files]) => [program, files.some((file) => file.startsWith(`src/agent/${program}/`))]),
  ).toEqual(programs.map((program) => [program, true]));
});
