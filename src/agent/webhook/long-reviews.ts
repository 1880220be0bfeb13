import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { WebhookConfig } from "../../model/admission/webhook/webhook-config";
import { errorMessage } from "../errors";
import { HttpError } from "./body";
import { BadReview, type Answered } from "./review";
import { Turns } from "./turns";

export interface LongReview {
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

export type LongAnswer = Answered | { readonly bad: string };

/** The API server waits no longer than this. */
const longestMs = 2_000;
/** More than three times what the longest review with the most values takes. */
const heapMegabytes = 128;

/** Parses long reviews in a thread of their own: one at a time, with addresses taking turns. The first starts it. */
export class LongReviews {
  private readonly turns = new Turns();
  private thread: Worker | undefined;

  constructor(private readonly config: WebhookConfig) {}

  /** @param take Hands the body over. @throws HttpError, BadReview, or what `take` throws. */
  answer(address: string, path: string, take: () => Buffer): Promise<Answered> {
    const deadline = performance.now() + longestMs;
    return this.turns.run(address, () => {
      if (performance.now() > deadline) throw new HttpError(503, "too many long reviews at once");
      const { buffer, byteOffset, length } = take();
      return this.ask({ path, body: new Uint8Array(buffer as ArrayBuffer, byteOffset, length) });
    });
  }

  async close(): Promise<void> {
    await this.thread?.terminate();
    this.thread = undefined;
  }

  private async ask(review: LongReview): Promise<Answered> {
    const thread = (this.thread ??= this.start());
    const answered = once(thread, "message", { signal: AbortSignal.timeout(longestMs) }).catch(
      async (error: unknown) => {
        // It took too long, or its heap is full. The next must not start while this one has its memory.
        await this.close();
        throw new HttpError(503, errorMessage(error));
      },
    );
    // Moved, not copied: a long body has its memory to itself.
    thread.postMessage(review, [review.body.buffer]);
    const [answer] = (await answered) as [LongAnswer];
    if ("bad" in answer) throw new BadReview(answer.bad);
    return answer;
  }

  private start(): Worker {
    const thread = new Worker(process.argv[1] ?? "", {
      argv: ["webhook-long-reviews"],
      workerData: this.config,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 16 },
    });
    thread.unref();
    // Whoever waits for an answer hears of it, too; if nobody does, it would end this process.
    thread.on("error", () => undefined);
    thread.once("exit", () => {
      if (this.thread === thread) this.thread = undefined;
    });
    return thread;
  }
}
