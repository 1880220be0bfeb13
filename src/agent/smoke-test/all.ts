/** Fewer than a forwarder of CoreDNS takes (`max_concurrent`), with two Jobs that ask. */
const atOnce = 100;

/** The results of all, in order, a limited number at a time: a slow one holds up no others but itself. */
export async function all<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const worker = async () => {
    for (const [i, item] of rest) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
