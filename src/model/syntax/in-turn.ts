/** Some at once: all requests for thousands of nodes would take 200 MB. @returns In the order of the items. */
export async function inTurn<Item, Result>(
  items: readonly Item[],
  atOnce: number,
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

/**
 * First a few of the items, from all parts of them: the rest only if the work succeeds with any of those, which may
 * take long to fail. @returns Those that are left.
 */
export async function inTurnIfAny<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<boolean>,
): Promise<readonly Item[]> {
  const step = Math.ceil(items.length / atOnce);
  const isFirst = (_: Item, i: number) => i % step === 0;
  const results = await inTurn(items.filter(isFirst), atOnce, work);
  const rest = items.filter((item, i) => !isFirst(item, i));
  if (!results.includes(true)) return rest;
  await inTurn(rest, atOnce, work);
  return [];
}
