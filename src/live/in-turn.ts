/** Pages that are read at once, as many as a browser's tab or two would. */
export const atOnce = 16;

/** Works on some at once. Of thousands of nodes, all requests together, and who waits for them, would take 200 MB. */
export async function inTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
