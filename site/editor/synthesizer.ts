import type { Answer, Question } from "./worker";

/** The worker. It synthesizes one text at a time: of what is typed meanwhile, only the newest. */
export class Synthesizer {
  private readonly worker: Worker;
  private isBusy = false;
  private newest: Question | undefined;

  /**
   * @param url The script that synthesizes (`worker.ts`).
   * @param onAnswer Is told nothing of a text that is no longer the newest.
   */
  constructor(url: string, onAnswer: (answer: Answer) => void) {
    this.worker = new Worker(url);
    this.worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      if ("imported" in data) return onAnswer(data);
      const { newest } = this;
      this.isBusy = false;
      this.newest = undefined;
      if (newest) this.send(newest);
      else onAnswer(data);
    });
  }

  ask(name: string, text: string): void {
    if (this.isBusy) this.newest = { name, text };
    else this.send({ name, text });
  }

  import(pasted: string): void {
    this.worker.postMessage({ pasted } satisfies Question);
  }

  end(): void {
    this.worker.terminate();
  }

  private send(question: Question): void {
    this.isBusy = true;
    this.worker.postMessage(question);
  }
}
