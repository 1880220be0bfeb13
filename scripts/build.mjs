// src/ -> lib/: CommonJS modules with declarations for the API, and the commands as one file, because loading a
// hundred modules takes longer than rendering a cluster. `--if-needed` does nothing if lib/ is newer than its sources;
// `--agent-image IMAGE` makes it the package's default, as a release does.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Bundles the commands, and beside them what starts them; with the agent's image of a release, if any. */
export async function bundleCli(outfile, agentImage) {
  // The oldest Node that `engines` has: for 20.0, esbuild makes a `new RegExp` of each expression with `\p`.
  const options = { absWorkingDir: root, bundle: true, platform: "node", format: "cjs", target: "node20.19" };
  const commands = await build({
    ...options,
    // `synth` is also there without the other commands, and starts sooner.
    entryPoints: { commands: "src/cli/commands.ts", synth: "src/cli/only-synth.ts" },
    outdir: dirname(outfile),
    metafile: true,
    // Less to read at start-up, while stack traces keep their names.
    minifyWhitespace: true,
    minifySyntax: true,
    // src/cli/main.ts compiles it itself. The wrapper is on lines of its own, which cannot end in a comment.
    banner: { js: "(function (exports, require, module, __filename, __dirname) {" },
    footer: { js: "\n})" },
    // The package's single ES module build, so that unused code can be left out.
    alias: { yaml: join(root, "node_modules/yaml/browser/dist/index.js") },
    plugins: [withoutUnused, ...(agentImage ? [withAgentImage(agentImage)] : [])],
  });
  const hash = createHash("sha256");
  for (const bundle of Object.keys(commands.metafile.outputs)) hash.update(readFileSync(join(root, bundle)));
  await build({
    ...options,
    entryPoints: ["src/cli/main.ts"],
    outfile,
    define: { hashOfCommands: JSON.stringify(hash.digest("hex").slice(0, 10)) },
  });
}

/** What src/model/released.ts is in a release. */
function released(agentImage) {
  return `exports.releasedAgentImage = ${JSON.stringify(agentImage)};\n`;
}

function withAgentImage(agentImage) {
  return {
    name: "with-agent-image",
    setup({ onLoad }) {
      const filter = /[\\/]src[\\/]model[\\/]released\.ts$/;
      onLoad({ filter }, () => ({ contents: released(agentImage) }));
    },
  };
}

/**
 * Parts of cdk8s that no synthesis needs: those that take longer to load than a component takes to render, and what
 * looks in each value for tokens, as users of the API may have in their props; a cluster file's values are plain.
 */
export const withoutUnused = {
  name: "without-unused",
  setup({ onResolve, onLoad }) {
    const unused = /^\.\/(app|cron|dependency|duration|helm|include|names|resolve|size|testing|yaml)$/;
    onResolve({ filter: unused }, ({ path, importer }) =>
      dirname(importer) === join(root, "node_modules/cdk8s/lib") ? { path, namespace: "unused" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "unused" }, ({ path }) => ({ contents: instead[path] ?? "", resolveDir: root }));
    const sorts = /[\\/]cdk8s[\\/]lib[\\/]_util\.js$/;
    onLoad({ filter: sorts }, ({ path }) => ({ contents: sortingLess(readFileSync(path, "utf8")) }));
  },
};

const instead = {
  "./app": 'exports.App = require("constructs").RootConstruct;',
  "./resolve": "exports.resolve = (key, value) => value;",
};

/** More than half of all objects have their keys in order, and V8 takes a kilobyte for each `sort`. */
function sortingLess(util) {
  const sorted = "Object.keys(obj).sort()";
  if (!util.includes(sorted)) throw new Error(`cdk8s has no ${sorted} any more`);
  return `${util.replace(sorted, "inOrder(Object.keys(obj))")}
function inOrder(keys) {
  for (let i = 1; i < keys.length; i++) if (keys[i - 1] > keys[i]) return keys.sort();
  return keys;
}
`;
}

async function buildAll(agentImage) {
  rmSync("lib", { recursive: true, force: true });
  run("scripts/generate.mjs", "--validator-only");
  run("node_modules/typescript/bin/tsc", "--project", "tsconfig.build.json");
  dropInnerDeclarations();
  // Generated, each with a declaration beside it for the compiler.
  cpSync("src/model/check/validate.js", "lib/model/check/validate.js");
  if (agentImage) writeFileSync("lib/model/released.js", released(agentImage));
  await bundleCli("lib/cli/main.js", agentImage);
}

/** Keeps the declarations that the API's refers to: others import types of packages that users do not have. */
function dropInnerDeclarations() {
  const kept = new Set();
  const keep = (file) => {
    if (kept.has(file)) return;
    kept.add(file);
    for (const [, path] of readFileSync(file, "utf8").matchAll(/\bfrom "(\.[^"]+)"/g))
      keep(join(dirname(file), `${path}.d.ts`));
  };
  keep(join("lib", "index.d.ts"));
  for (const path of readdirSync("lib", { recursive: true }))
    if (path.endsWith(".d.ts") && !kept.has(join("lib", path))) rmSync(join("lib", path));
}

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

function isCurrent() {
  if (!existsSync("lib/cli/main.js")) return false;
  const built = statSync("lib/cli/main.js").mtimeMs;
  const sources = readdirSync("src", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const others = [
    "clusters/schema.json",
    "package-lock.json",
    "tsconfig.json",
    "tsconfig.build.json",
    "scripts/build.mjs",
    "scripts/generate.mjs",
    "scripts/places-in.mjs",
  ];
  return [...sources, ...others].every((file) => statSync(file).mtimeMs <= built);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(root);
  const options = { "if-needed": { type: "boolean" }, "agent-image": { type: "string" } };
  const { values } = parseArgs({ options });
  if (!values["if-needed"] || !isCurrent()) await buildAll(values["agent-image"]);
}
