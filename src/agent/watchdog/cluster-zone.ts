import { randomBytes } from "node:crypto";
import { familyOf } from "../../model/syntax/addresses";
import { exchange, type Outcome } from "../dns/exchange";
import { anyOf, type Result } from "./any-of";
import { undecided } from "./state";
import type { Watchdog } from "./watchdog";

export type ClusterZone = ReturnType<typeof createClusterZone>;

/** Between questions of which more would decide something. */
const askAgainMs = 1000;

/** Asks for names of the cluster zone: whether anything answers them, and whether the cache does as well. */
export function createClusterZone({ config, thresholds, sources, dispatch, state }: Watchdog) {
  const { name, servers } = config.clusterZone;
  const type = familyOf(config.serviceIPs[0] ?? "") === "IPv6" ? "AAAA" : "A";
  let again: NodeJS.Timeout | undefined;
  let pastAnswer: Promise<Result> | undefined;

  function asks(asked: string, isGood: (outcome: Outcome) => boolean, address: string, source?: string) {
    const timeoutMs = thresholds.clusterTimeoutMs;
    return anyOf(async () => {
      const outcome = await exchange({ name: asked, type, server: { address }, protocol: "udp", source, timeoutMs });
      return outcome.kind === "unmeasured" ? undefined : isGood(outcome);
    });
  }

  // Through a listener that answers: one that does not is judged by its own probes. A cache may know the name that exists for hours
  // after it has lost its way to the cluster DNS, so it is asked for one that nobody has ever asked for as well.
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

  /** Whoever wants to know while it is being asked waits for the same answer. */
  function pastCache(): Promise<Result> {
    return (pastAnswer ??= askPast().finally(() => (pastAnswer = undefined)));
  }

  async function askPast(): Promise<Result> {
    const results = await Promise.all(servers.map((server) => asks(name, exists, server)));
    return results.includes(true) ? true : results.includes(false) ? false : undefined;
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

    /** Before the cache is left, it should be known whether the cluster DNS would answer. */
    async askPastCache(): Promise<void> {
      note(undefined, await pastCache());
    },
  };
}

function exists(outcome: Outcome): boolean {
  return outcome.kind === "answer" && outcome.reply.rcode === "NOERROR" && Boolean(outcome.reply.answers?.length);
}

function isAnswered(outcome: Outcome): boolean {
  return outcome.kind === "answer" && ["NOERROR", "NXDOMAIN"].includes(outcome.reply.rcode);
}
