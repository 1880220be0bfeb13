import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { startBrowser } from "./browser";
import { SiteServer } from "./server";
import { dist, root } from "./site";

/** What is drawn a moment after what led to it. */
const patient = { timeout: 90_000 };

let browser: Browser;
let server: SiteServer;
let url: string;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser();
  server = new SiteServer(dist);
  url = await server.start();
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});
beforeEach(async () => {
  context = await browser.newContext();
  context.setDefaultTimeout(90_000);
  page = await context.newPage();
  await page.goto(`${url}/editor`);
  await state(/files$/);
});
afterEach(() => context.close());

/** Waits for what the editor says of the text. */
async function state(text: RegExp): Promise<void> {
  await page.getByRole("status").filter({ hasText: text }).waitFor();
}

async function write(text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Cluster file" }).fill(text);
}

it("renders the bytes that synth writes, for every file of clusters/", async () => {
  for (const file of readdirSync(join(root, "clusters")).filter((each) => each.endsWith(".yaml"))) {
    const name = file.replace(/\.yaml$/, "");
    const text = readFileSync(join(root, "clusters", file), "utf8");
    const files = await page.evaluate(
      ([script, question]) =>
        new Promise<[string, string][]>((resolve) => {
          const worker = new Worker(script);
          worker.addEventListener("message", ({ data }) => resolve(data.synthesis.files));
          worker.postMessage(question);
        }),
      [`${url}/synthesizer.js`, { name, text }] as const,
    );
    expect(files.length).toBeGreaterThan(5);
    for (const [path, contents] of files) expect([path, contents]).toEqual([path, readDist(path)]);
  }
});

function readDist(path: string): string {
  return readFileSync(join(root, "dist", path), "utf8");
}

it("shows a problem at its place, and keeps what came out before", async () => {
  await write("clusterDNS: [10.96.0.10]\nkubeProxyMode: ipv\n");
  await state(/^1 problem at 2:16: kubeProxyMode/);
  await page.getByRole("tab", { name: "Problems (1)" }).click();
  expect(await page.locator(".cluster-editor-problems").textContent()).toMatch(/^2:16 kubeProxyMode/);
  expect(await page.locator(".cm-lintRange-error").textContent()).toBe("ipv");
  await page.getByRole("tab", { name: "Files" }).click();
  await expect.poll(() => page.locator("details").count(), patient).toBeGreaterThan(5);
});

it("marks files that change, until they are seen, and shows the newest text of one that is open", async () => {
  const ask = (address: string) => write(`clusterDNS: [${address}]\nkubeProxyMode: iptables\n`);
  const marksLine = (address: string) => page.locator("mark", { hasText: `clusterIP: ${address}` }).waitFor();
  await ask("10.96.0.11");
  await page.getByRole("tab", { name: "Files" }).click();
  const marked = page.locator("summary", { has: page.locator(".change-changed") });
  const service = marked.filter({ hasText: "service-kube-dns.yaml" });
  await service.waitFor();
  // While it is closed, and while it is open.
  await ask("10.96.0.12");
  await service.click();
  await marksLine("10.96.0.12");
  await ask("10.96.0.13");
  await marksLine("10.96.0.13");
  await page.getByRole("button", { name: "Mark all as seen" }).click();
  expect(await marked.count()).toBe(0);
});

it("completes keys and values from the schema, and documents keys", async () => {
  await write("clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n");
  const text = page.getByRole("textbox", { name: "Cluster file" });
  await text.press("Control+End");
  await text.pressSequentially("nodeLocalDNS:\n  interc");
  const choice = (label: string) => page.locator(".cm-tooltip-autocomplete li", { hasText: label });
  await choice("interception").waitFor();
  expect(await page.locator(".cm-completionInfo").textContent()).toContain("link-local");
  await choice("interception").click();
  await text.pressSequentially("lin");
  await choice("link-local").click();
  await expect.poll(() => text.innerText(), patient).toContain("nodeLocalDNS:\n  interception: link-local");
  await write("clusterDNS: [10.96.0.10]\n");
  await text.press("Control+End");
  await text.pressSequentially("authoritativeDNS: { kin");
  await choice("kind").click();
  await text.pressSequentially("Dae");
  await choice("DaemonSet").click();
  await expect.poll(() => text.innerText(), patient).toContain("authoritativeDNS: { kind: DaemonSet");
});

it("synthesizes one text at a time while one types, and draws only what shows", async () => {
  await context.addInitScript(() => {
    const counted = { waiting: 0, most: 0, hidden: 0 };
    class Counted extends Worker {
      constructor(script: string) {
        super(script);
        this.addEventListener("message", () => counted.waiting--);
      }
      override postMessage(message: unknown): void {
        counted.most = Math.max(counted.most, ++counted.waiting);
        super.postMessage(message);
      }
    }
    Object.assign(window, { counted, Worker: Counted });
  });
  await page.reload();
  await state(/files$/);
  await page.getByLabel("Examples").selectOption({ index: (await page.locator("option").count()) - 1 });
  await page.evaluate(() => {
    const { counted } = window as unknown as { counted: { hidden: number } };
    const observer = new MutationObserver((changes) => (counted.hidden += changes.length));
    for (const panel of document.querySelectorAll("[role=tabpanel][hidden]"))
      observer.observe(panel, { childList: true, subtree: true });
  });
  const text = page.getByRole("textbox", { name: "Cluster file" });
  await text.press("Control+End");
  await text.pressSequentially("filterAAAA: true\n");
  await page.waitForFunction("counted.waiting === 0");
  expect(await page.evaluate("counted")).toMatchObject({ most: 1, hidden: 0 });
  await page.getByRole("tab", { name: "Values" }).click();
  await page.getByRole("row", { name: /^filterAAAA true / }).waitFor();
});

it("puts the file into the link's fragment, and reads it from there", async () => {
  await write("# ü\nclusterDNS: [10.96.0.10]\nkubeProxyMode: nftables\n");
  await page.getByLabel("Name of the cluster").fill("prod");
  await page.getByRole("button", { name: "Copy link" }).click();
  await state(/^The link is /);
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByRole("tab", { name: "Files" }).click();
  await other.getByText("prod/kustomization.yaml").waitFor();
  expect(await other.getByRole("textbox", { name: "Cluster file" }).innerText()).toContain("# ü");
});

it("opens a link that is pasted into its address, and says of one that it cannot be read", async () => {
  const { hash } = new URL(await linkOf("# shared\nclusterDNS: [10.96.0.10]\nkubeProxyMode: nftables\n"));
  await write("# mine\n");
  await page.evaluate((fragment) => {
    history.replaceState(null, "", "#");
    location.hash = fragment;
  }, hash);
  const text = page.getByRole("textbox", { name: "Cluster file" });
  await expect.poll(() => text.innerText(), patient).toContain("# shared");
  await text.press("Control+z");
  await expect.poll(() => text.innerText(), patient).toContain("# mine");
  await page.goto("about:blank");
  await page.goto(`${url}/editor${hash.slice(0, -9)}`);
  await state(/^The link cannot be read/);
  await state(/files$/);
});

/** The link that the page makes of a text. */
async function linkOf(text: string): Promise<string> {
  await write(text);
  await page.evaluate(() => history.replaceState(null, "", "#"));
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.waitForFunction(() => location.hash !== "");
  return page.url();
}

it("keeps what one typed through a reload and other pages, also of a link that was opened or made", async () => {
  const text = page.getByRole("textbox", { name: "Cluster file" });
  const shows = (part: string) => expect.poll(() => text.innerText(), patient).toContain(part);
  const first = await linkOf("# shared\nclusterDNS: [10.96.0.10]\nkubeProxyMode: nftables\n");
  await write("# typed since\n");
  await page.reload();
  await shows("# typed since");
  await page.getByRole("link", { name: "Reference" }).first().click();
  await page.getByRole("heading", { level: 1, name: "The cluster file" }).waitFor();
  await page.getByRole("link", { name: "Editor" }).first().click();
  await shows("# typed since");
  // Back to the reference, and to the link.
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "The cluster file" }).waitFor();
  await page.goBack();
  await shows("# typed since");
  // Another link is what somebody wants to see.
  const { hash } = new URL(await linkOf("# another\n"));
  await page.goto(first);
  await shows("# shared");
  await page.goto("about:blank");
  await page.goto(`${url}/editor${hash}`);
  await shows("# another");
});

it("comes back on the way forward, once it made a link", async () => {
  await page.goto(`${url}/docs/modes`);
  await page.getByRole("link", { name: "Editor" }).first().click();
  await state(/files$/);
  await linkOf("# shared\nclusterDNS: [10.96.0.10]\nkubeProxyMode: nftables\n");
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: /^Modes/ }).waitFor();
  await page.goForward();
  const text = page.getByRole("textbox", { name: "Cluster file" });
  await expect.poll(() => text.innerText(), patient).toContain("# shared");
});

it("refuses a name that no cluster has", async () => {
  await page.getByLabel("Name of the cluster").fill("../prod eu");
  await state(/^1 problem: /);
  expect(await page.locator(".cluster-editor-state").textContent()).toContain('"../prod eu" is not a cluster\'s name');
});

it("says that nothing came out yet of a file that begins with a problem", async () => {
  const link = await linkOf("kubeProxyMode: ipv\n");
  await page.goto("about:blank");
  await page.goto(link);
  await state(/^2 problems, the first at 1:1: clusterDNS/);
  for (const tab of ["Query path", "Files", "Values"]) {
    await page.getByRole("tab", { name: tab }).click();
    expect(await page.getByRole("tabpanel").innerText()).toBe("Nothing came out yet.");
  }
});

it.each([
  {
    what: "a Corefile",
    pasted:
      "cluster.test:53 .:53 {\n  kubernetes cluster.test in-addr.arpa\n  forward . 192.0.2.1\n  dnstap /tmp/a.sock\n}\n",
    text: /clusterDomain: cluster.test[^]*upstreamNameservers:\s*- 192.0.2.1/,
    leftOut: /left out:[^]*kubernetes fallthrough no/,
  },
  {
    what: "kubectl's output",
    pasted: JSON.stringify({
      kind: "List",
      items: [
        {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "kube-dns", namespace: "kube-system" },
          spec: { clusterIP: "10.1.0.10", clusterIPs: ["10.1.0.10"] },
        },
      ],
    }),
    text: /clusterDNS:\s*- 10.1.0.10/,
    leftOut: /new with it/,
  },
])("makes a cluster file of $what, and says what it leaves out", async ({ pasted, text, leftOut }) => {
  await page.getByRole("button", { name: "Import" }).click();
  await page.getByRole("textbox", { name: "Corefile or objects" }).fill(pasted);
  await page.getByRole("button", { name: "Make a cluster file" }).click();
  const outcome = page.getByRole("dialog").getByRole("status");
  await outcome.filter({ hasText: "is in the editor" }).waitFor();
  expect(await outcome.textContent()).toMatch(leftOut);
  await page.getByRole("button", { name: "Close" }).click();
  expect(await page.getByRole("textbox", { name: "Cluster file" }).innerText()).toMatch(text);
});

it("imports neither nothing, nor YAML, nor half a Corefile, and keeps the file", async () => {
  const text = page.getByRole("textbox", { name: "Cluster file" });
  const before = await text.innerText();
  await page.getByRole("button", { name: "Import" }).click();
  for (const [pasted, why] of [
    [" \n", /nor a Corefile: it has no server block$/],
    ["apiVersion: v1\nkind: ConfigMap\n", /is YAML, which is not read: get the same with kubectl.s -o json$/],
    [".:53\nerrors\n", /nor a Corefile: a server block has no braces$/],
    [".:53 {\n", /nor a Corefile: a brace is not closed$/],
  ] as const) {
    await page.getByRole("textbox", { name: "Corefile or objects" }).fill(pasted);
    await page.getByRole("button", { name: "Make a cluster file" }).click();
    await state(why);
  }
  expect(await text.innerText()).toBe(before);
});

it("sends nothing, and works without a network once loaded", async () => {
  const asked: string[] = [];
  context.on("request", (request) => asked.push(`${request.method()} ${new URL(request.url()).origin}`));
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await context.setOffline(true);
  await page.reload();
  await write("clusterDNS: [10.96.0.10]\nkubeProxyMode: nftables\n");
  await state(/files$/);
  await page.goto(`${url}/docs/modes`);
  expect(await page.locator("h1").textContent()).toContain("Modes");
  expect([...new Set(asked)]).toEqual([`GET ${url}`]);
});

it("says so if it cannot be loaded", async () => {
  const without = await browser.newContext({ serviceWorkers: "block" });
  const other = await without.newPage();
  await other.route(/chunks\/mount\b/, (route) => route.abort());
  await other.goto(`${url}/editor`);
  const said = other.getByRole("status");
  await expect.poll(() => said.textContent(), patient).toBe("The editor did not load. Load this page again.");
  await without.close();
});

it("is used with the keyboard alone", async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  const text = page.getByRole("textbox", { name: "Cluster file" });
  await text.focus();
  const caret = await text.evaluate((element) => getComputedStyle(element).caretColor);
  expect(caret).toBe(await text.evaluate((element) => getComputedStyle(element).color));
  const hint = await text.getAttribute("aria-describedby");
  expect(await page.locator(`#${hint}`).textContent()).toContain("Tab leaves");
  await page.keyboard.press("Tab");
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
  for (let i = 0; i < 5 && !(await focused()).startsWith("Query path"); i++) await page.keyboard.press("Tab");
  expect(await focused()).toBe("Query path");
  await page.keyboard.press("ArrowRight");
  expect(await focused()).toMatch(/^Files/);
  expect(await page.getByRole("tab", { selected: true }).textContent()).toMatch(/^Files/);
});

it("goes through the examples with the arrow keys, and undoes each", async () => {
  const chooser = page.getByLabel("Examples");
  const text = page.getByRole("textbox", { name: "Cluster file" });
  const first = await text.innerText();
  const names = await chooser.locator("option").allTextContents();
  await chooser.focus();
  for (const name of names.slice(2, 4)) {
    await page.keyboard.press("ArrowDown");
    expect(await page.getByLabel("Name of the cluster").inputValue()).toBe(name);
  }
  for (let i = 0; i < 3; i++) await text.press("Control+z");
  // Not past the text that the page began with.
  expect(await text.innerText()).toBe(first);
});

it("names everything that one can use, for screen readers", async () => {
  expect(await page.getByRole("main").getByRole("heading", { level: 1 }).textContent()).toContain("Editor");
  const nameless = await page
    .locator(".cluster-editor :is(button, input, select, textarea, img, summary, [role])")
    .evaluateAll((elements) =>
      elements
        .filter((each) => !each.closest(".cm-editor") && !["presentation", "none", "status"].includes(each.role ?? ""))
        .filter((each) => {
          const by = each.getAttribute("aria-labelledby");
          const labels = [
            each.getAttribute("aria-label"),
            by && document.getElementById(by)?.textContent,
            each.textContent,
          ];
          return !labels.concat(each.getAttribute("alt")).some((label) => label?.trim());
        })
        .map((each) => each.outerHTML),
    );
  expect(nameless).toEqual([]);
});
