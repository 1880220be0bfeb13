import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { groups } from "../pages.mjs";

const pages = join(dirname(fileURLToPath(import.meta.url)), "../pages");

/** A page's first heading. */
function titleOf(path: string): string {
  return /^# (.*)$/m.exec(readFileSync(join(pages, path), "utf8"))?.[1]?.replaceAll("`", "") ?? path;
}

/** Anchors are those that the same pages have on GitHub: its github-slugger. */
function asOnGitHub(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}

const link = (name: string) => ({ text: titleOf(`docs/${name}.md`), link: `/docs/${name}` });

export default defineConfig({
  title: "cdk8s-cluster-dns",
  description: "One typed description of a cluster in, everything its DNS needs out",
  lang: "en",
  // GitHub Pages serves a repository's site below its name.
  base: process.env["SITE_BASE"] ?? "/",
  srcDir: "pages",
  outDir: "dist",
  rewrites: { "README.md": "index.md" },
  cleanUrls: true,
  // None is asked for.
  head: [["link", { rel: "icon", href: "data:," }]],
  lastUpdated: false,
  markdown: { html: false, attrs: { disable: true }, anchor: { slugify: asOnGitHub } },
  vite: { server: { fs: { allow: [join(pages, "../..")] } }, build: { chunkSizeWarningLimit: 1500 } },
  themeConfig: {
    search: { provider: "local" },
    nav: [
      { text: "Start", link: "/docs/from-a-cluster" },
      { text: "Editor", link: "/editor" },
      { text: "Reference", link: "/docs/cluster-file" },
      { text: "Changes", link: "/CHANGELOG" },
    ],
    sidebar: Object.entries(groups).map(([text, names]) => ({ text, items: names.map(link) })),
    outline: { level: [2, 3] },
  },
});
