// Takes the pictures of docs/screenshots with Debian's Chromium: `npm run site -- --screenshots`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { startBrowser } from "./test/browser";
import { SiteServer } from "./test/server";
import { dist, root } from "./test/site";

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: "light" | "dark";
  /** What is done to the page first. */
  readonly prepare?: (page: Page) => Promise<void>;
}

// The picture of the paths fits beside the file.
const wide = { width: 1300, height: 680 };
const narrow = { width: 390, height: 620 };

const pictures: readonly Picture[] = [
  { name: "start-wide-light", path: "/", viewport: wide, colorScheme: "light" },
  { name: "page-narrow-dark", path: "/docs/reading", viewport: narrow, colorScheme: "dark" },
  { name: "editor-wide-light", path: "/editor", viewport: wide, colorScheme: "light", prepare: choose },
  { name: "editor-wide-dark", path: "/editor", viewport: wide, colorScheme: "dark", prepare: mistake },
  { name: "editor-narrow-dark", path: "/editor", viewport: narrow, colorScheme: "dark", prepare: choose },
];

async function choose(page: Page): Promise<void> {
  await settled(page, /files$/);
  await page.getByLabel("Examples").selectOption("infra-nodes");
  await settled(page, /files$/);
}

async function mistake(page: Page): Promise<void> {
  await choose(page);
  const text = page.getByRole("textbox", { name: "Cluster file" });
  await text.fill("clusterDNS: [10.96.0.10]\nkubeProxyMode: ipv\nauthoritativeDNS:\n  replica: 3\n");
  await settled(page, /problem/);
  await page.getByRole("tab", { name: /^Problems/ }).click();
}

async function settled(page: Page, state: RegExp): Promise<void> {
  await page.getByRole("status").filter({ hasText: state }).waitFor();
}

async function main(): Promise<void> {
  const folder = join(root, "docs/screenshots");
  mkdirSync(folder, { recursive: true });
  const server = new SiteServer(dist);
  const url = await server.start();
  const browser = await startBrowser();
  try {
    for (const { name, path, viewport, colorScheme, prepare } of pictures) {
      const page = await browser.newPage({ viewport, colorScheme });
      page.setDefaultTimeout(120_000);
      await page.goto(url + path, { waitUntil: "networkidle" });
      await prepare?.(page);
      // A fifth of what Playwright's own format takes: the pictures are part of the package.
      const client = await page.context().newCDPSession(page);
      const { data } = await client.send("Page.captureScreenshot", { format: "webp", quality: 70 });
      writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, "base64"));
      await page.close();
    }
  } finally {
    await browser.close();
    await server.stop();
  }
}

void main();
