import { sleep } from "../../rig/until";

/** Asks on schedule, whether or not earlier questions are answered. Returns what each took, in milliseconds. */
export async function load(ask: () => Promise<unknown>, perSecond: number, seconds: number): Promise<number[]> {
  const pending: Promise<number>[] = [];
  const start = performance.now();
  for (let i = 0; i < perSecond * seconds; i++) {
    const wait = start + (i * 1000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait);
    pending.push(timed(ask));
  }
  return Promise.all(pending);
}

async function timed(ask: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await ask();
  return performance.now() - start;
}

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

export function percentiles(times: readonly number[]): Percentiles {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
