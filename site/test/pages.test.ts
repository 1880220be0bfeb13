import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "./browser";
import { SiteServer } from "./server";
import { dist } from "./site";

const pages = readdirSync(dist, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".html"))
  .map((path) => ({ path, html: readFileSync(join(dist, path), "utf8") }));
const files = new Set(readdirSync(dist, { recursive: true, encoding: "utf8" }));

it("links to pages and headings that are there", () => {
  const idsOf = new Map(
    pages.map(({ path, html }) => [path, new Set([...html.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id))]),
  );
  const dead = pages.flatMap(({ path, html }) =>
    [...html.matchAll(/<a [^>]*href="([^"]+)"/g)]
      .map(([, href = ""]) => href.replaceAll("&amp;", "&"))
      .filter((href) => !/^[a-z]+:/.test(href))
      .filter((href) => {
        const [target = "", anchor] = href.split("#");
        const found = fileOf(new URL(target, `http://site/${path}`).pathname);
        if (found === undefined) return true;
        return anchor !== undefined && found.endsWith(".html") && !idsOf.get(found)?.has(decodeURIComponent(anchor));
      })
      .map((href) => `${path}: ${href}`),
  );
  expect(dead).toEqual([]);
});

it("shows no HTML as text", () => {
  const prose = (html: string) => html.replace(/<(code|pre|script)\b[^]*?<\/\1>/g, "");
  expect(pages.filter(({ html }) => prose(html).includes("&lt;")).map(({ path }) => path)).toEqual([]);
});

it("lets each block of code scroll on a narrow screen", () => {
  expect(pages.filter(({ html }) => /<pre>/.test(html)).map(({ path }) => path)).toEqual([]);
});

function fileOf(path: string): string | undefined {
  const target = path.replace(/^\//, "");
  return [target, `${target}.html`, posix.join(target, "index.html")].find((each) => files.has(each));
}

describe("in a browser", () => {
  let browser: Browser;
  let server: SiteServer;
  let url: string;
  beforeAll(async () => {
    browser = await startBrowser();
    server = new SiteServer(dist);
    url = await server.start();
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  it.each([
    { width: 1400, colorScheme: "light" },
    { width: 390, colorScheme: "dark" },
  ] as const)("fits a screen of $width pixels, $colorScheme, without an error", async ({ width, colorScheme }) => {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
    page.setDefaultTimeout(90_000);
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    for (const path of [
      "/",
      "/editor",
      "/docs/modes",
      "/docs/cluster-file",
      "/docs/failover",
      "/docs/runbooks/CoreDNSDown",
    ]) {
      await page.goto(url + path);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([path, Math.max(0, overflow)]).toEqual([path, 0]);
    }
    expect(errors).toEqual([]);
    await page.close();
  });

  it.each([390, 1300])("shows all that is said of a key on a screen of %d pixels", async (width) => {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    page.setDefaultTimeout(90_000);
    await page.goto(`${url}/docs/cluster-file`);
    const hidden = await page
      .locator(".vp-doc table")
      .evaluateAll((tables) =>
        tables.filter((table) => table.scrollWidth > table.clientWidth).map((table) => table.textContent?.slice(0, 40)),
      );
    expect(hidden).toEqual([]);
    await page.close();
  });

  it("finds words of the pages without asking anybody", async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(90_000);
    await page.goto(url);
    await page
      .getByRole("button", { name: /search/i })
      .first()
      .click();
    const first = page.locator("#localsearch-list a").first();
    for (const [words, href] of [
      ["lameduck", /^\/docs\//],
      // Keys are found where they are documented, tasks where they are described.
      ["stubDomains", /^\/docs\/cluster-file#/],
      ["kubeProxyMode", /^\/docs\/cluster-file#/],
      ["uninstall", /^\/docs\/leaving#/],
    ] as const) {
      await page.getByRole("searchbox").fill(words);
      await expect.poll(() => first.getAttribute("href"), { timeout: 90_000 }).toMatch(href);
    }
    await page.close();
  });
});
