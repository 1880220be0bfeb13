/** The first ones in a sentence, and how many more there are. */
export function some(texts: readonly string[], count = 5, between = ", "): string {
  const shown = texts.slice(0, count).join(between);
  return texts.length > count ? `${shown} and ${texts.length - count} more` : shown;
}
