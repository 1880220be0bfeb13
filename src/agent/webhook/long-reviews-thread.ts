import { parentPort, workerData } from "node:worker_threads";
import type { WebhookConfig } from "../../model/admission/webhook/webhook-config";
import { errorMessage } from "../errors";
import { decisions } from "./decisions";
import { limitsOf } from "./limits";
import type { LongAnswer, LongReview } from "./long-reviews";
import { answerReview } from "./review";

export function runLongReviews(): void {
  const decide = decisions(workerData as WebhookConfig, () => undefined);
  parentPort?.on("message", (review: LongReview) => parentPort?.postMessage(answer(review)));

  function answer({ path, body }: LongReview): LongAnswer {
    const decides = decide[path];
    if (!decides) return { bad: `nothing decides at ${path}` };
    try {
      return answerReview(decides, Buffer.from(body.buffer), limitsOf(path).guards);
    } catch (error) {
      return { bad: errorMessage(error) };
    }
  }
}
