import { countersOfForwards, lookedSeconds } from "../model/doctor/forwarded";
import { parseSamples, type Sample } from "../model/kubernetes/samples";
import type { ClusterState, Page } from "../model/running/cluster-state";
import { inTurn } from "../model/syntax/in-turn";
import { atOnce } from "./kubectl-proxy";
import type { Pages } from "./pages";

/** Reads counters twice. Of pods that cannot be asked, or that started in between, nothing is known. */
export async function readForwarded(pages: Pages, toRead: readonly Page[]): Promise<ClusterState["forwarded"]> {
  const before = await countersOf(pages, toRead);
  if (before.size === 0) return new Map();
  await new Promise((resolve) => setTimeout(resolve, lookedSeconds * 1000));
  const after = await countersOf(
    pages,
    toRead.filter(({ name }) => before.has(name)),
  );
  return new Map([...after].map(([name, samples]) => [name, growth(before.get(name) ?? [], samples)]));
}

async function countersOf(pages: Pages, toRead: readonly Page[]): Promise<Map<string, Sample[]>> {
  const counters = new Map<string, Sample[]>();
  await inTurn(toRead, atOnce, async (page) => {
    const samples = await pages.ask(page.what, page.path, parseSamples, { page });
    // A part of a text keeps all of it in memory.
    const kept = samples?.filter(({ name }) => countersOfForwards.includes(name));
    if (kept) counters.set(page.name, structuredClone(kept));
  });
  // In the order of the pages, not of the answers.
  return new Map(toRead.flatMap(({ name }) => (counters.has(name) ? [[name, counters.get(name) ?? []]] : [])));
}

function growth(before: readonly Sample[], after: readonly Sample[]): Sample[] {
  const keyOf = ({ name, labels }: Sample) => JSON.stringify([name, labels]);
  const had = new Map(before.map((each) => [keyOf(each), each.value]));
  const grown = after.map((each) => ({ ...each, value: each.value - (had.get(keyOf(each)) ?? 0) }));
  // Of a pod that started again, one falls.
  return grown.some(({ value }) => value < 0) ? [] : grown;
}
