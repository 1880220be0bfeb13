import { randomBytes } from "node:crypto";
import { familyOf } from "../../model/syntax/addresses";
import { exchange, type Outcome } from "../dns/exchange";
import { anyOf, type Result } from "./any-of";
import { undecided } from "./state";
import type { Watchdog } from "./watchdog";

export type ClusterZone = ReturnType<typeof createClusterZone>;

/** Interval between queries while the next one may decide something. */
const askAgainMs = 1000;

/** Queries names of the cluster zone: does anything answer them, and does the cache? */
export function createClusterZone({ config, thresholds, sources, dispatch, state, report }: Watchdog) {
  const { name, servers } = config.clusterZone;
  const type = familyOf(config.serviceIPs[0] ?? "") === "IPv6" ? "AAAA" : "A";
  let again: NodeJS.Timeout | undefined;
  let pastAnswer: Promise<Result> | undefined;

  function asks(asked: string, isGood: (outcome: Outcome) => boolean, address: string, source?: string) {
    const timeoutMs = thresholds.clusterTimeoutMs;
    return anyOf(async () => {
      const outcome = await exchange({ name: asked, type, server: { address }, protocol: "udp", source, timeoutMs });
      // kube-proxy rejects what is for a Service without endpoints.
      if (outcome.kind === "unmeasured" && !(source === undefined && outcome.isRejected)) return undefined;
      const good = isGood(outcome);
      if (source === undefined) report.askedPastCache(address, good);
      return good;
    });
  }

  // Asks through a listener that answers; one that does not is judged by its own probes. A cache may keep a name that
  // exists for hours after losing its way to the cluster DNS, so we also ask for a name that no one has ever queried.
  async function throughCache(): Promise<Result> {
    const address = state().listeners.find((l) => l.successes > 0 && l.listener.protocol === "udp")?.listener.address;
    const source = address && sources.get(familyOf(address));
    if (!address || !source) return undefined;
    const unheardOf = `${randomBytes(8).toString("hex")}.${name}`;
    const results = await Promise.all([
      asks(name, exists, address, source),
      asks(unheardOf, isAnswered, address, source),
    ]);
    return results.includes(false) ? false : results.includes(undefined) ? undefined : true;
  }

  /** Callers share the answer of a query that is already under way. */
  function pastCache(): Promise<Result> {
    return (pastAnswer ??= anyIsTrue(servers.map((server) => asks(name, exists, server))).finally(
      () => (pastAnswer = undefined),
    ));
  }

  function note(through: Result, past: Result): void {
    dispatch({ kind: "cluster-zone", through, past, at: performance.now() });
    if (!undecided(state(), thresholds)) return;
    again ??= setTimeout(() => {
      again = undefined;
      void compare();
    }, askAgainMs);
  }

  async function compare(): Promise<void> {
    const [through, past] = await Promise.all([throughCache(), pastCache()]);
    note(through, past);
  }

  return {
    compare,

    /** Before the cache is taken out of use, find out whether the cluster DNS would answer. */
    askPastCache: async (): Promise<void> => note(undefined, await pastCache()),
  };
}

async function anyIsTrue(asked: readonly Promise<Result>[]): Promise<Result> {
  const results = await Promise.all(asked);
  return results.includes(true) ? true : results.includes(false) ? false : undefined;
}

function exists(outcome: Outcome): boolean {
  return outcome.kind === "answer" && outcome.reply.rcode === "NOERROR" && Boolean(outcome.reply.answers?.length);
}

function isAnswered(outcome: Outcome): boolean {
  return outcome.kind === "answer" && ["NOERROR", "NXDOMAIN"].includes(outcome.reply.rcode);
}
