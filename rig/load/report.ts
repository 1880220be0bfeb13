/** A query and its outcome. */
export interface Query {
  readonly sentMs: number;
  readonly tookMs: number;
  /** The answer's data. */
  readonly answer?: string;
  /** Why there is no answer: a timeout, a network error, or a code such as SERVFAIL. */
  readonly failure?: string;
  /** The local port, with UDP. */
  readonly port?: number;
}

/** What the load generator prints. */
export interface Asked {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly queries: readonly Query[];
  /**
   * Queries never sent because the generator itself was not scheduled when they were due; they say nothing about the
   * server.
   */
  readonly skipped: number;
}

export interface LoadReport extends Asked {
  readonly sent: number;
  readonly lost: number;
  /**
   * Lost queries of flows new to the kernel: their port had sent nothing for as long as the kernel remembers a flow.
   */
  readonly lostOfNewFlows: number;
  /** How often each answer came. */
  readonly answers: Readonly<Record<string, number>>;
  readonly failures: Readonly<Record<string, number>>;
  /** Periods in which every query was lost: from the first one to the next one answered. */
  readonly windows: readonly LossWindow[];
  /** The longest of them. */
  readonly longestMs: number;
  /** From the start of the first one to the end of the last. */
  readonly windowMs: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly seconds: number;
}

export interface LossWindow {
  readonly fromMs: number;
  readonly lengthMs: number;
  readonly lost: number;
}

export function summarize(asked: Asked): LoadReport {
  const { queries } = asked;
  const answered = queries.filter(({ answer }) => answer !== undefined);
  const latencies = answered.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const percentile = (share: number) =>
    round(latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0);
  const windows = lossWindows(queries);
  const [first, last] = [windows[0], windows.at(-1)];
  return {
    ...asked,
    sent: queries.length,
    lost: queries.length - answered.length,
    lostOfNewFlows: newFlows(queries).filter(({ answer }) => answer === undefined).length,
    answers: count(queries.flatMap(({ answer }) => answer ?? [])),
    failures: count(queries.flatMap(({ failure }) => failure ?? [])),
    windows,
    longestMs: Math.max(0, ...windows.map(({ lengthMs }) => lengthMs)),
    windowMs: first && last ? round(last.fromMs + last.lengthMs - first.fromMs) : 0,
    latencyMs: { p50: percentile(0.5), p99: percentile(0.99), max: percentile(1) },
    seconds: round((queries.at(-1)?.sentMs ?? 0) / 1000),
  };
}

/**
 * `nf_conntrack_udp_timeout`, and `nf_conntrack_udp_timeout_stream` for a flow that still has packets two seconds after
 * its first.
 */
const flowTimeoutMs = { single: 30_000, stream: 120_000 };
const streamAfterMs = 2000;

/** When the first answer came. */
export function firstAnswerMs({ queries }: Asked): number {
  return queries.reduce(
    (first, { answer, sentMs, tookMs }) => (answer === undefined ? first : Math.min(first, sentMs + tookMs)),
    Infinity,
  );
}

/** How many queries of new flows were lost of those sent after the first answer. */
export function lostOnceAnswered(asked: Asked): number {
  const first = firstAnswerMs(asked);
  return newFlows(asked.queries).filter(({ answer, sentMs }) => answer === undefined && sentMs > first).length;
}

/** Queries from a port of which the kernel remembers no earlier flow. */
function newFlows(queries: readonly Query[]): Query[] {
  const flows = new Map<number, { readonly firstMs: number; readonly lastMs: number }>();
  return queries.filter(({ port, sentMs }) => {
    if (port === undefined) return true;
    const flow = flows.get(port);
    const timeoutMs = flow && flow.lastMs - flow.firstMs > streamAfterMs ? flowTimeoutMs.stream : flowTimeoutMs.single;
    const isNew = flow === undefined || sentMs - flow.lastMs > timeoutMs;
    flows.set(port, { firstMs: isNew ? sentMs : flow.firstMs, lastMs: sentMs });
    return isNew;
  });
}

function lossWindows(queries: readonly Query[]): LossWindow[] {
  const windows: LossWindow[] = [];
  let from = 0;
  while (from < queries.length) {
    if (queries[from]?.answer !== undefined) {
      from++;
      continue;
    }
    const next = queries.findIndex(({ answer }, index) => index > from && answer !== undefined);
    const to = next === -1 ? queries.length : next;
    const start = queries[from]?.sentMs ?? 0;
    const end = (queries[to] ?? queries.at(-1))?.sentMs ?? start;
    windows.push({ fromMs: round(start), lengthMs: round(end - start), lost: to - from });
    from = to;
  }
  return windows;
}

function count(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
