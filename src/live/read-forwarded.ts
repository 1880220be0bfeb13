import { countersOfForwards, lookedSeconds } from "../model/doctor/forwarded";
import { parseSamples, type Sample } from "../model/kubernetes/samples";
import type { ClusterState, Page } from "../model/running/cluster-state";
import { inTurn } from "../model/syntax/in-turn";
import { atOnce, programMs, type Read } from "./kubectl-proxy";

/** Reads counters twice. Of pods that cannot be asked, or that started in between, nothing is known. */
export async function readForwarded(read: Read, pages: readonly Page[]): Promise<ClusterState["forwarded"]> {
  const before = await countersOf(read, pages);
  if (before.size === 0) return new Map();
  await new Promise((resolve) => setTimeout(resolve, lookedSeconds * 1000));
  const after = await countersOf(
    read,
    pages.filter(({ name }) => before.has(name)),
  );
  return new Map([...after].map(([name, samples]) => [name, growth(before.get(name) ?? [], samples)]));
}

async function countersOf(read: Read, pages: readonly Page[]): Promise<Map<string, Sample[]>> {
  const counters = new Map<string, Sample[]>();
  await inTurn(pages, atOnce, async ({ name, path }) => {
    const answer = await read(path, programMs);
    if (!("text" in answer)) return;
    // A part of a text keeps all of it in memory.
    const samples = parseSamples(answer.text).filter(({ name: counter }) => countersOfForwards.includes(counter));
    counters.set(name, structuredClone(samples));
  });
  // In the order of the pages, not of the answers.
  return new Map(pages.flatMap(({ name }) => (counters.has(name) ? [[name, counters.get(name) ?? []]] : [])));
}

function growth(before: readonly Sample[], after: readonly Sample[]): Sample[] {
  const keyOf = ({ name, labels }: Sample) => JSON.stringify([name, labels]);
  const had = new Map(before.map((each) => [keyOf(each), each.value]));
  return after.flatMap((each) => {
    const value = each.value - (had.get(keyOf(each)) ?? 0);
    return value >= 0 ? [{ ...each, value }] : [];
  });
}
