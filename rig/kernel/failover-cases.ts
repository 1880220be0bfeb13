import type { LoadReport } from "../load/report";
import { session, type SessionReport } from "../load/session";
import { sleep } from "../until";
import { stop } from "./namespace";
import { cache, cluster, onNode, type Scenario, type Setting } from "./scenario";

/** A way in which a cache, or what watches it, fails, and what its clients may notice. */
export interface FailoverCase {
  readonly name: string;
  readonly setting?: Setting;
  /** Where the queries come from. */
  readonly who: "pod" | "node";
  /** Packet filters for which it makes sense. */
  readonly packetFilter?: "nftables";
  /**
   * How many of 500 queries a second may be lost, and within what time. `untilEnded`: while the kernel still delivers
   * packets to a process that it is tearing down, 10 ms or longer on a busy machine.
   */
  readonly allowed: { readonly lost?: number; readonly windowMs?: number } | "untilEnded";
  run(setting?: Setting): Promise<FailoverResult>;
}

export interface FailoverResult {
  readonly load: LoadReport;
  /** Of one additional client, which keeps a TCP connection open. */
  readonly tcp: SessionReport;
  readonly byCache: number;
  readonly byCluster: number;
  /** How long a SIGKILLed cache took to exit. */
  readonly endedMs: number;
  /** Milliseconds since the start of the load. */
  readonly events: readonly { readonly at: number; readonly what: string }[];
}

type Note = (what: string) => void;

export const failoverCases: readonly FailoverCase[] = [
  failover("cache SIGKILLed and started again", "untilEnded", 6, async (s, note) => {
    note("cache SIGKILLed");
    s.endedMs = await stop(s.cache, "SIGKILL");
    await sleep(1500);
    await s.startCache();
    note("cache started");
  }),
  failover("cache SIGSTOPped", { windowMs: 500 }, 4, async (s, note) => {
    note("cache SIGSTOPped");
    s.cache.kill("SIGSTOP");
  }),
  failover("cache goes on after SIGSTOP", { windowMs: 500 }, 14, async (s, note) => {
    note("cache SIGSTOPped");
    s.cache.kill("SIGSTOP");
    await sleep(2000);
    note("cache SIGCONTed");
    s.cache.kill("SIGCONT");
  }),
  failover("cache answers SERVFAIL to everything", { windowMs: 2500 }, 5, async (s, note) => {
    const broken = await s.startBrokenCache();
    note("only a cache that answers SERVFAIL");
    s.endedMs = await stop(s.cache, "SIGKILL");
    void broken;
  }),
  // A cache loses what is in its socket when it closes it: one query, in one of 190 stops (docs/failover.md).
  failover("second cache on the same port, first one stopped", { lost: 1 }, 9, async (s, note) => {
    const first = s.cache;
    await s.startCache();
    note("second cache listens");
    await sleep(1000);
    note("SIGTERM to the first");
    await stop(first, "SIGTERM");
    note("the first is gone");
  }),
  failover("cache stopped while it waits for a silent server", { lost: 0 }, 12, stopWaiting, waitForSilentServer),
  failover(
    "the same, with a second cache on the port",
    { lost: 0 },
    12,
    async (s, note) => {
      const first = s.cache;
      await s.startCacheOfSilentServer();
      note("SIGTERM to the first cache");
      await s.stopWaiting(first);
      note("the first is gone");
    },
    waitForSilentServer,
  ),
  failover("watchdog SIGKILLed, then the cache", "untilEnded", 4, async (s, note) => {
    note("watchdog SIGKILLed");
    await stop(s.watchdog.process, "SIGKILL");
    await sleep(500);
    note("cache SIGKILLed");
    s.endedMs = await stop(s.cache, "SIGKILL");
  }),
  {
    ...failover("watchdog SIGKILLed, then the cache SIGSTOPped", { windowMs: 500 }, 4, hangUnwatched),
    packetFilter: "nftables",
  },
  failover("watchdog restarted with the same configuration", { lost: 0 }, 5, async (s, note) => {
    note("SIGTERM to the watchdog");
    await stop(s.watchdog.process, "SIGTERM");
    await s.startWatchdog();
    note("watchdog started");
  }),
  failover("something else bound to 0.0.0.0:53, cache SIGKILLed", "untilEnded", 5, async (s, note) => {
    await s.startOther();
    await sleep(500);
    note("cache SIGKILLed");
    s.endedMs = await stop(s.cache, "SIGKILL");
  }),
  {
    ...failover("our nftables table deleted", { lost: 0 }, 5, async (s, note) => {
      note("table deleted");
      s.network.node.run("nft", ["delete", "table", "inet", "node-local-dns"]);
    }),
    packetFilter: "nftables",
  },
  failover("link deleted", { windowMs: 1000 }, 5, async (s, note) => {
    note("link deleted");
    s.network.node.ip("link delete nodelocaldns");
  }),
  failover("address removed", { windowMs: 1000 }, 5, async (s, note) => {
    note("address removed");
    s.network.node.ip(`address delete ${s.server}/${s.family === "IPv4" ? 32 : 128} dev nodelocaldns`);
  }),
  fromNode("cache SIGKILLed", { windowMs: 500 }, 5, async (s, note) => {
    note("cache SIGKILLed");
    s.endedMs = await stop(s.cache, "SIGKILL");
  }),
  fromNode("cache stopped", { lost: 0 }, 12, stopWaiting, waitForSilentServer),
  fromNode("watchdog SIGKILLed, then the cache SIGSTOPped", { windowMs: 500 }, 4, hangUnwatched),
  fromNode("watchdog SIGKILLed, then the cache", { windowMs: 500 }, 5, async (s, note) => {
    note("watchdog and cache SIGKILLed");
    await stop(s.watchdog.process, "SIGKILL");
    s.endedMs = await stop(s.cache, "SIGKILL");
  }),
];

async function hangUnwatched(s: Scenario, note: Note): Promise<void> {
  note("watchdog SIGKILLed, cache SIGSTOPped");
  await stop(s.watchdog.process, "SIGKILL");
  s.cache.kill("SIGSTOP");
}

/** Before there is load: what the first cache may lose is not what the case is about. */
async function waitForSilentServer(s: Scenario): Promise<void> {
  const waiting = await s.startCacheOfSilentServer();
  await stop(s.cache, "SIGTERM");
  s.cache = waiting;
}

async function stopWaiting(s: Scenario, note: Note): Promise<void> {
  note("SIGTERM to the cache");
  await s.stopWaiting(s.cache);
  note("the cache is gone");
}

function fromNode(...[name, allowed, seconds, act, prepare]: Parameters<typeof failover>): FailoverCase {
  // With iptables rules the node's own processes never use the cache at the service IP.
  return { ...failover(name, allowed, seconds, act, prepare, "node"), packetFilter: "nftables" };
}

function failover(
  name: string,
  allowed: FailoverCase["allowed"],
  seconds: number,
  act: (s: Scenario, note: Note) => Promise<void>,
  prepare: (s: Scenario) => Promise<void> = async () => {},
  who: FailoverCase["who"] = "pod",
): FailoverCase {
  return {
    name,
    who,
    allowed,
    run: (setting) =>
      onNode(setting ?? {}, async (s) => {
        await prepare(s);
        const noted: { time: number; what: string }[] = [];
        const from = s.network[who];
        const { meanwhile: load, ...tcp } = await session(
          from,
          { server: s.server, name: "load.test", timeoutMs: 1000 },
          () =>
            s.network.load({ server: s.server, seconds, from, timeoutMs: 1000 }, async () => {
              await sleep(1200);
              await act(s, (what) => noted.push({ time: Date.now(), what }));
            }),
        );
        const events = noted.map(({ time, what }) => ({ at: time - load.startedAt, what }));
        return {
          load,
          tcp,
          byCache: load.answers[cache] ?? 0,
          byCluster: load.answers[cluster] ?? 0,
          endedMs: s.endedMs,
          events,
        };
      }),
  };
}
