import { familyOf } from "../../model/syntax/addresses";
import { exchange } from "../dns/exchange";
import type { Watchdog } from "./watchdog";

export type ClusterZone = ReturnType<typeof createClusterZone>;

/** Asks for a name of the cluster zone: whether anything answers it, and whether the cache does as well. */
export function createClusterZone({ config, thresholds, sources, dispatch, state }: Watchdog) {
  const { name } = config.clusterZone;
  const servers = config.clusterZone.servers.flatMap((server) =>
    server.startsWith("$") ? (process.env[server.slice(1)] ?? []) : [server],
  );
  const type = familyOf(config.serviceIPs[0] ?? "") === "IPv6" ? "AAAA" : "A";

  /** Whether it answers with an address; undefined: it could not be asked. */
  async function answers(address: string, source?: string): Promise<boolean | undefined> {
    const timeoutMs = thresholds.clusterTimeoutMs;
    const outcome = await exchange({ name, type, server: { address }, protocol: "udp", source, timeoutMs });
    if (outcome.kind === "unmeasured") return undefined;
    return outcome.kind === "answer" && outcome.reply.rcode === "NOERROR" && Boolean(outcome.reply.answers?.length);
  }

  // Through a listener that answers: one that does not is judged by its own probes.
  async function throughCache(): Promise<boolean | undefined> {
    const address = state().listeners.find((l) => l.successes > 0 && l.listener.protocol === "udp")?.listener.address;
    const source = address && sources.get(familyOf(address));
    return address && source ? answers(address, source) : undefined;
  }

  async function pastCache(): Promise<boolean | undefined> {
    const results = await Promise.all(servers.map((server) => answers(server)));
    return results.includes(true) ? true : results.includes(false) ? false : undefined;
  }

  return {
    async compare(): Promise<void> {
      const [through, past] = await Promise.all([throughCache(), pastCache()]);
      dispatch({ kind: "cluster-zone", through, past, at: performance.now() });
    },

    /** Before the cache is left, it should be known whether the cluster DNS would answer. */
    async askPastCache(): Promise<void> {
      dispatch({ kind: "cluster-zone", through: undefined, past: await pastCache(), at: performance.now() });
    },
  };
}
