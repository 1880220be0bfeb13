// Copies the repository's pages to site/pages/ in their own folders, so that their links hold; links to other files of the repository
// become links to it.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { groups } from "./pages.mjs";

const site = dirname(fileURLToPath(import.meta.url));
const root = join(site, "..");
const pages = join(site, "pages");

/** What a visitor reads, apart from docs/. */
const ofRoot = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

export function stage() {
  rmSync(pages, { recursive: true, force: true });
  const docs = readdirSync(join(root, "docs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.join("docs", entry.parentPath.slice(join(root, "docs").length + 1), entry.name));
  checkGroups(docs);
  const staged = [...ofRoot, ...docs];
  for (const path of staged) {
    mkdirSync(dirname(join(pages, path)), { recursive: true });
    if (path.endsWith(".md")) writeFileSync(join(pages, path), page(path, new Set(staged)));
    else cpSync(join(root, path), join(pages, path));
  }
  cpSync(join(site, "editor.md"), join(pages, "editor.md"));
  return staged;
}

function checkGroups(docs) {
  const grouped = new Set(Object.values(groups).flat());
  const found = docs.filter((path) => /^docs\/[^/]+\.md$/.test(path)).map((path) => path.slice("docs/".length, -3));
  const missing = found.filter((name) => !grouped.has(name));
  const gone = [...grouped].filter((name) => !found.includes(name));
  if (missing.length + gone.length > 0)
    throw new Error(
      `sit./pages.mjs: in no group: ${missing.join(", ") || "-"}; not in docs/: ${gone.join(", ") || "-"}`,
    );
}

function page(path, staged) {
  const text = readFileSync(join(root, path), "utf8");
  return outsideCode(text, (prose) =>
    prose.replace(/\]\(([^)#\s]+)(#[^)\s]*)?\)/g, (all, target, anchor = "") => {
      if (/^[a-z]+:/.test(target)) return all;
      const found = posix.join(posix.dirname(path), target);
      return staged.has(found) && /\.(md|svg)$/.test(found) ? all : `](${repositoryUrl()}/blob/main/${found}${anchor})`;
    }),
  );
}

/** Vue reads `{{` in prose as a template, and tags as components. */
function outsideCode(text, change) {
  return text
    .split(/(^```[^]*?^```|`[^`\n]*`)/m)
    .map((part, i) => (i % 2 === 0 ? change(part) : part))
    .join("");
}

function repositoryUrl() {
  const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
}
