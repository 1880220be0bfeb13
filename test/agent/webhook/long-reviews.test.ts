import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { LongReviews } from "../../../src/agent/webhook/long-reviews";
import { temporaryFolder } from "../../temporary-folder";

const folder = temporaryFolder("long-reviews");
const [, program = ""] = process.argv;
afterEach(() => void (process.argv[1] = program));

it("outlives a thread that ends between two reviews, and starts another", async () => {
  const thread = join(folder, "thread.cjs");
  const answers = `parentPort.postMessage({ text: "answer" }); setTimeout(() => { throw new Error("late"); }, 200)`;
  const port = 'const { parentPort } = require("node:worker_threads")';
  writeFileSync(thread, `${port}; parentPort.on("message", () => { ${answers}; });`);
  process.argv[1] = thread;
  const reviews = new LongReviews({ version: 1, port: 0, probePort: 0, certificates: { kind: "files", folder } });
  const ask = () => reviews.answer("10.0.0.1", "/pods", () => Buffer.alloc(200 * 1024));
  for (let i = 0; i < 2; i++) {
    expect(await ask()).toEqual({ text: "answer" });
    await sleep(1000);
  }
  await reviews.close();
});
