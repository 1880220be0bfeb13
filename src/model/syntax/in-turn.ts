/**
 * Works on some items at once. Of thousands of nodes, all requests together, and who waits for them, would take 200 MB.
 * @returns The results in the order of the items. A slow one holds up no others but itself.
 */
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
