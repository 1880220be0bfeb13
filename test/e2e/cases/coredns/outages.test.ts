import { describe, expect, it } from "vitest";
import { whyNoCoreDNS } from "../../../../rig/coredns/coredns";
import { until } from "../../../../rig/until";
import { type Answered, clusterWith, known, minuteMs, type SmallCluster } from "./outages";

// docs/outages.md has these tables. `OUTAGES_PACE=1` runs them in the time of a cluster, some 80 minutes.
describe.skipIf(whyNoCoreDNS)(`outages${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  it(
    "an API server that is overloaded for twenty minutes, while CoreDNS restarts",
    async () => {
      const happens: { readonly [minute: number]: readonly [what: string, cause: (cluster: SmallCluster) => unknown] } =
        {
          1: ["the API server is overloaded", ({ api }) => api.become("overloaded")],
          2: ["a Service is made", ({ addService }) => addService()],
          4: ["a pod of CoreDNS restarts", ({ restart }) => restart(0)],
          7: ["the other one, too", ({ restart }) => restart(1)],
          12: ["a node's cache restarts", ({ restartColdCache }) => restartColdCache()],
        };
      const [without, withIt] = await bothWays(async (cluster) => {
        const rows: Answered[] = [];
        for (let minute = 0; minute <= 20; minute++) {
          const begun = Date.now();
          await happens[minute]?.[1](cluster);
          rows.push(await cluster.answers());
          await cluster.pass(begun, 1);
        }
        cluster.api.become("up");
        // How long CoreDNS waits until it asks again is not thirty times as fast.
        const last = await until("all names", 120, async () => {
          const seen = await cluster.answers();
          return seen.cluster === "yes" && seen.restarted === "yes" && seen.made === "yes" && seen;
        });
        return [...rows, last];
      });
      const columns = ["cluster", "outside", "restarted", "made"] as const;
      for (const [minute, row] of without.entries()) {
        const cells = [row, withIt[minute]].flatMap((seen) => columns.map((column) => seen?.[column]));
        print([minute, minute > 20 ? "the API server is back" : (happens[minute]?.[0] ?? ""), ...cells]);
      }
      expect(without.slice(10, 20).every(({ cluster }) => cluster === "no")).toBe(true);
      expect(withIt.every(({ cluster, outside }) => cluster === "yes" && outside === "yes")).toBe(true);
    },
    25 * minuteMs + 240_000,
  );

  const kept = ["cluster", "outside", "pinned"] as const;
  it.concurrent.each<[what: string, cause: (cluster: SmallCluster) => unknown]>([
    [
      "the API server is away, and all pods of CoreDNS restart",
      async ({ api, restart }) => {
        api.become("away");
        await Promise.all([restart(0), restart(1)]);
      },
    ],
    ["servers outside are silent", ({ upstream }) => (upstream.answer = () => "silence")],
    ["servers outside answer NXDOMAIN to everything", ({ upstream }) => (upstream.answer = () => ({ rcode: 3 }))],
    ["servers outside answer with nothing", ({ upstream }) => (upstream.answer = () => [])],
    ["a node has no network", ({ cut }) => cut()],
  ])(
    "%s",
    async (what, cause) => {
      const [without, withIt] = await bothWays(async (cluster) => {
        await cause(cluster);
        await cluster.pass(Date.now(), 60);
        return cluster.answers();
      });
      const kinds = [...kept, "unknown"] as const;
      print([what, ...[without, withIt].flatMap((seen) => kinds.map((kind) => seen[kind])), `${withIt.slowestMs} ms`]);
      expect(kept.map((kind) => withIt[kind])).toEqual(kept.map(() => "yes"));
      expect(kept.some((kind) => without[kind] === "no")).toBe(true);
    },
    60 * minuteMs + 120_000,
  );
});

/** Without and with the switch, beside each other. */
async function bothWays<T>(drill: (cluster: SmallCluster) => Promise<T>): Promise<[without: T, withIt: T]> {
  const one = async (resilience: Parameters<typeof clusterWith>[0]) => {
    const cluster = await clusterWith(resilience);
    try {
      return await drill(cluster);
    } finally {
      await cluster.stop();
    }
  };
  return Promise.all([one(false), one({ pinnedNames: [known.pinned] })]);
}

function print(cells: readonly unknown[]): void {
  process.stdout.write(`| ${cells.map((cell) => (cell === undefined ? "" : String(cell))).join(" | ")} |\n`);
}
