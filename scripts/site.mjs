// Builds the site into site/dist: docs/ as pages, and the editor, whose synthesizer is the command line's own code for a browser.
//
//     npm run site -- --serve         builds it, and shows it on this machine
//     npm run site -- --screenshots   builds it, and takes the pictures of docs/screenshots with Debian's Chromium
//     npm run site -- --frames        builds it, and counts frames while Chromium types into the editor
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { withoutUnused } from "./build.mjs";
import { runTypeScript } from "./run-typescript.mjs";
import { stage } from "../site/stage.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const site = join(root, "site");

/** Bundles the synthesizer for a browser. */
export async function bundleSynthesizer(outfile, entryPoint = "site/editor/worker.ts") {
  await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    outfile,
    bundle: true,
    minify: true,
    platform: "browser",
    format: "iife",
    target: "es2022",
    alias: { yaml: join(root, "node_modules/yaml/browser/dist/index.js") },
    define: { global: "globalThis", process: "processOfBrowser" },
    inject: [join(site, "editor/node/globals.ts")],
    plugins: [withoutUnused, nodeModules],
  });
}

/** Stand-ins for Node's modules: those that a synthesis calls work, the others are empty, for cdk8s only loads them. */
const nodeModules = {
  name: "node-modules",
  setup({ onResolve, onLoad }) {
    const working = { crypto: "site/editor/node/crypto.ts", path: "site/node_modules/path-browserify/index.js" };
    const names = "buffer|child_process|crypto|events|fs|http|os|path|stream|url|util|v8|vm";
    onResolve({ filter: new RegExp(`^(node:)?(${names})$`) }, ({ path }) => {
      const name = path.replace("node:", "");
      return working[name] ? { path: join(root, working[name]) } : { path: name, namespace: "empty" };
    });
    onLoad({ filter: /.*/, namespace: "empty" }, () => ({ contents: "module.exports = {};" }));
  },
};

async function buildSite() {
  if (!existsSync(join(site, "node_modules"))) npm("ci");
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "--project", "site"], {
    cwd: root,
    stdio: "inherit",
  });
  const pages = stage();
  mkdirSync(join(site, "pages/public"), { recursive: true });
  await bundleSynthesizer(join(site, "pages/public/synthesizer.js"));
  // At its `$id`.
  copyFileSync(join(root, "clusters/schema.json"), join(site, "pages/public/schema.json"));
  npm("exec", "--", "vitepress", "build");
  writeOffline();
  console.log(`site/dist: ${pages.filter((path) => path.endsWith(".md")).length + 1} pages`);
}

/** The service worker, with the list of all files: after one visit the site works without a network. */
function writeOffline() {
  const dist = join(site, "dist");
  const files = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "offline.js")
    .map((entry) => relative(dist, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(readFileSync(join(dist, file)));
  const source = readFileSync(join(site, "offline.js"), "utf8");
  const values = { VERSION: hash.digest("hex").slice(0, 12), FILES: files };
  writeFileSync(
    join(dist, "offline.js"),
    source.replace(/\b(VERSION|FILES)\b(?= *;)/g, (name) => JSON.stringify(values[name])),
  );
}

function npm(...args) {
  execFileSync("npm", args, { cwd: site, stdio: "inherit" });
}

async function main() {
  const option = { type: "boolean", default: false };
  const { values } = parseArgs({ options: { serve: option, screenshots: option, frames: option } });
  await buildSite();
  // Beside the packages that they need.
  const programs = join(site, "node_modules/.cache");
  for (const program of ["screenshots", "frames"])
    if (values[program]) runTypeScript(`site/${program}.ts`, program, programs);
  if (values.serve) npm("exec", "--", "vitepress", "preview");
  else console.log("npm run site -- --serve shows it on this machine");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
