// Types into the editor's largest example in Chromium, where each character changes most files, and counts what that costs:
// `npm run site -- --frames`.
import type { Page } from "playwright-core";
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
    console.log(`typing ${typed.length} characters into ${largest}, one every 50 ms:`);
    for (const tab of ["Query path", "Files", "Values", "Notes"]) {
      await page.getByRole("tab", { name: new RegExp(`^${tab}`) }).click();
      await text.locator(".cm-line", { hasText: line }).click();
      await page.keyboard.press("End");
      for (let i = 0; i < behind.length; i++) await page.keyboard.press("ArrowLeft");
      await page.evaluate(countFrames);
      const tasks = await tasksDuring(page, () => page.keyboard.type(typed, { delay: 50 }));
      const { gaps } = (await page.evaluate("window.stopFrames()")) as Frames;
      const busyMs = tasks.reduce((sum, each) => sum + each, 0);
      const late = gaps.filter((gap) => gap > 1.5 * frameMs).length;
      console.log(
        `  ${tab}: ${(busyMs / gaps.length).toFixed(1)} ms of processor time a frame, ` +
          `${(busyMs / typed.length).toFixed(1)} a character, ${Math.max(...tasks).toFixed(1)} the longest task; ` +
          `${late} of ${gaps.length} frames late, the longest after ${Math.max(...gaps).toFixed(0)} ms`,
      );
    }
  } finally {
    await browser.close();
    await server.stop();
  }
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds, with those in which another program had the processor. */
  readonly dur?: number;
  /** Microseconds of the thread's processor time, as exact as the kernel's clock of it. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The milliseconds of processor time of each task of the page's thread: what it does between two looks at the keyboard. */
async function tasksDuring(page: Page, action: () => Promise<void>): Promise<number[]> {
  const browser = page.context().browser();
  await browser?.startTracing(page, { categories: ["disabled-by-default-devtools.timeline"] });
  await action();
  const trace = String(await browser?.stopTracing());
  const { traceEvents } = JSON.parse(trace) as { traceEvents: readonly TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const threads = traceEvents.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const ofPages = new Set(threads.map(threadOf));
  return traceEvents
    .filter((each) => each.name === "RunTask" && ofPages.has(threadOf(each)))
    .map(({ dur = 0, tdur = 0 }) => Math.min(dur, tdur) / 1000);
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
