// Types into the editor's largest example in Chromium, where each character changes most files, and counts what that costs:
// `npm run site -- --frames`.
import { startBrowser } from "./test/browser";
import { SiteServer } from "./test/server";
import { dist } from "./test/site";

const typed = "typing-waits-for-no-synthesis";
/** A line of it, before whose end something is typed. */
const line = "annotations: {";
const behind = " }";
/** One frame of sixty a second. */
const frameMs = 1000 / 60;

interface Frames {
  /** Between two frames, in milliseconds. */
  readonly gaps: readonly number[];
}

async function main(): Promise<void> {
  const server = new SiteServer(dist);
  const url = await server.start();
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 800 } });
    await page.goto(`${url}/editor`);
    const state = page.getByRole("status").filter({ hasText: /files$/ });
    await state.waitFor();
    const names = await page.getByLabel("Examples").locator("option").allTextContents();
    const largest = names.at(-1) ?? "";
    await page.getByLabel("Examples").selectOption(largest);
    const text = page.getByRole("textbox", { name: "Cluster file" });
    const client = await page.context().newCDPSession(page);
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
    console.log(`typing ${typed.length} characters into ${largest}, one every 50 ms:`);
    for (const tab of ["Query path", "Files", "Values", "Notes"]) {
      await page.getByRole("tab", { name: new RegExp(`^${tab}`) }).click();
      await text.locator(".cm-line", { hasText: line }).click();
      await page.keyboard.press("End");
      for (let i = 0; i < behind.length; i++) await page.keyboard.press("ArrowLeft");
      await page.evaluate(countFrames);
      const before = await busySeconds();
      await page.keyboard.type(typed, { delay: 50 });
      const busyMs = ((await busySeconds()) - before) * 1000;
      const { gaps } = (await page.evaluate("window.stopFrames()")) as Frames;
      const late = gaps.filter((gap) => gap > 1.5 * frameMs).length;
      console.log(
        `  ${tab}: ${(busyMs / gaps.length).toFixed(1)} ms of processor time a frame, ` +
          `${(busyMs / typed.length).toFixed(1)} a character; ` +
          `${late} of ${gaps.length} frames late, the longest after ${Math.max(...gaps).toFixed(0)} ms`,
      );
    }

    async function busySeconds(): Promise<number> {
      const { metrics } = await client.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
    }
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** Runs in the page. */
function countFrames(): void {
  const gaps: number[] = [];
  let last = performance.now();
  let isOn = true;
  const next = (now: number) => {
    gaps.push(now - last);
    last = now;
    if (isOn) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
  Object.assign(window, {
    stopFrames: () => {
      isOn = false;
      return { gaps: gaps.slice(1) };
    },
  });
}

void main();
