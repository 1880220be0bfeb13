// Copies the repository's pages to site/pages/ in their own folders, so that their links hold; links to other files of the repository
// become links to it.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

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
    const copy = join(pages, asIndex(path));
    mkdirSync(dirname(copy), { recursive: true });
    if (path.endsWith(".md")) writeFileSync(copy, page(path, new Set(staged)));
    else cpSync(join(root, path), copy);
  }
  cpSync(join(site, "editor.md"), join(pages, "editor.md"));
  return staged;
}

/** The groups of docs/README.md, each with its pages: the site's sidebar. */
export function groups() {
  const sections = readFileSync(join(root, "docs/README.md"), "utf8").split(/^## /m).slice(1);
  return sections
    .map((section) => ({
      text: section.split("\n", 1)[0],
      items: [...section.matchAll(/^- \[([^\]]+)\]\(([\w-]+)\.md\)/gm)].map(([, text, name]) => ({
        text,
        link: `/docs/${name}`,
      })),
    }))
    .filter(({ items }) => items.length > 0);
}

function checkGroups(docs) {
  const grouped = new Set(groups().flatMap(({ items }) => items.map(({ link }) => `${link.slice(1)}.md`)));
  const missing = docs.filter((path) => /^docs\/(?!README)[^/]+\.md$/.test(path) && !grouped.has(path));
  if (missing.length > 0) throw new Error(`docs/README.md has no link to ${missing.join(", ")}; put each into a group`);
}

function page(path, staged) {
  const text = readFileSync(join(root, path), "utf8");
  return outsideCode(text, (prose) =>
    prose
      // Comments are for those who edit: the site shows HTML as text.
      .replace(/<!--[^]*?-->\n*/g, "")
      // The reference names pages, as editors show its text.
      .replace(
        /(?<![\w[(/])docs\/[\w-]+\.md\b/g,
        (named) => `[${named}](${posix.relative(posix.dirname(path), named)})`,
      )
      .replace(/\]\(([^)#\s]+)(#[^)\s]*)?\)/g, (all, target, anchor = "") => {
        if (/^[a-z]+:/.test(target)) return all;
        const found = posix.join(posix.dirname(path), target);
        return staged.has(found) && /\.(md|svg|webp)$/.test(found)
          ? `](${asIndex(target)}${anchor})`
          : `](${repositoryUrl()}/blob/main/${found}${anchor})`;
      }),
  );
}

/** A folder's own page is README.md on GitHub. */
function asIndex(path) {
  return path.replace(/(^|\/)README\.md$/, "$1index.md");
}

/** Changes what is no code. */
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
