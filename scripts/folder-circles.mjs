// Lint step: finds circles among the folders of src/. In each folder, its files and subfolders are the nodes; an import
// between two of them, however deep, is an arrow. The linter's `import/no-cycle` finds circles of files.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The circles below a folder, one line each: `src/model: admission -> tenancy -> admission`, with an import behind each
 * arrow.
 */
export function folderCircles(folder) {
  const arrows = new Map();
  for (const file of sources(folder)) {
    for (const target of importsOf(file)) {
      const [from, to] = [relative(folder, file).split(sep), relative(folder, target).split(sep)];
      const shared = from.findIndex((step, i) => step !== to[i]);
      if (shared < 0) continue;
      const parent = join(folder, ...from.slice(0, shared));
      const targets = arrowsFrom(arrows, parent, from[shared]);
      if (!targets.has(to[shared])) targets.set(to[shared], `${file} imports ${target}`);
    }
  }
  return [...arrows].flatMap(([parent, graph]) => {
    const circle = findCircle(graph);
    if (!circle) return [];
    const reasons = circle.slice(1).map((node, i) => graph.get(circle[i]).get(node));
    return [[`${parent}: ${circle.join(" -> ")}`, ...reasons].join("\n  ")];
  });
}

function arrowsFrom(arrows, parent, node) {
  if (!arrows.has(parent)) arrows.set(parent, new Map());
  const graph = arrows.get(parent);
  if (!graph.has(node)) graph.set(node, new Map());
  return graph.get(node);
}

function sources(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.d)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function importsOf(file) {
  const specifiers = [...readFileSync(file, "utf8").matchAll(/(?:from|import\(|require\()\s*"(\.[^"]+)"/g)];
  return specifiers
    .map(([, specifier]) => join(dirname(file), specifier.replace(/\.js$/, "")).concat(".ts"))
    .filter((target) => existsSync(target));
}

/** The nodes of one circle, ending with the first one again. */
function findCircle(graph) {
  const done = new Set();
  const visit = (node, path) => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    done.add(node);
    for (const next of graph.get(node)?.keys() ?? []) {
      const circle = visit(next, [...path, node]);
      if (circle) return circle;
    }
    return undefined;
  };
  for (const node of graph.keys()) {
    const circle = visit(node, []);
    if (circle) return circle;
  }
  return undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const circles = folderCircles("src");
  for (const circle of circles) console.error(circle);
  if (circles.length > 0) process.exitCode = 1;
}
