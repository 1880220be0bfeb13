import { defineConfig, type MarkdownRenderer } from "vitepress";
import { groups } from "../stage.mjs";

/** Anchors are those that the same pages have on GitHub: its github-slugger. */
function asOnGitHub(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}

/** Vue takes `{{` in a text for a template of its own. */
function showBraces({ renderer: { rules } }: MarkdownRenderer): void {
  for (const name of ["text", "code_inline"] as const) {
    const render = rules[name];
    if (render) rules[name] = (...args) => render(...args).replaceAll("{{", "&#123;&#123;");
  }
}

/** VitePress lets only fenced code scroll on a narrow screen. */
function showIndentedAsFenced({ renderer: { rules } }: MarkdownRenderer): void {
  rules.code_block = rules.fence;
}

/** A key is looked for in the reference, and a task not in evidence. VitePress takes its text into the page. */
function weightOf(id: string): number {
  if (/\/docs\/cluster-file\b/.test(id)) return 2;
  const evidence =
    /\/(CHANGELOG|CONTRIBUTING|docs\/(development|first-hour|kubernetes-suite|peers|performance|releasing|seeds|testing))\b/;
  return evidence.test(id) ? 0.4 : 1;
}

export default defineConfig({
  title: "cdk8s-cluster-dns",
  description: "One typed description of a cluster in, everything its DNS needs out",
  lang: "en",
  // GitHub Pages serves a repository's site below its name.
  base: process.env["SITE_BASE"] ?? "/",
  srcDir: "pages",
  outDir: "dist",
  cleanUrls: true,
  // None is asked for.
  head: [["link", { rel: "icon", href: "data:," }]],
  lastUpdated: false,
  markdown: {
    html: false,
    attrs: { disable: true },
    anchor: { slugify: asOnGitHub },
    // Colors that are read on the gray of a code block: 4.5 to 1.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(markdown) {
      showBraces(markdown);
      showIndentedAsFenced(markdown);
    },
  },
  vite: { build: { chunkSizeWarningLimit: 1500 } },
  themeConfig: {
    // A typing error a word, or `uninstall` would find `install`.
    search: {
      provider: "local",
      options: { miniSearch: { searchOptions: { fuzzy: 0.15, boostDocument: weightOf } } },
    },
    nav: [
      { text: "Start", link: "/docs/start" },
      { text: "Editor", link: "/editor" },
      { text: "Reference", link: "/docs/cluster-file" },
      { text: "All pages", link: "/docs/" },
      { text: "Changes", link: "/CHANGELOG" },
    ],
    sidebar: groups(),
    outline: { level: [2, 3] },
  },
});
