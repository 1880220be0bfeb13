/** The first ones in a sentence, and how many more there are. */
export function some(texts: readonly string[], count = 5, between = ", "): string {
  const shown = texts.slice(0, count).join(between);
  return texts.length > count ? `${shown} and ${texts.length - count} more` : shown;
}

/** The first ones, each for itself, and after them how many more there are. */
export function firstOf(texts: readonly string[], count: number, what = "more"): string[] {
  return texts.length > count ? [...texts.slice(0, count), `and ${texts.length - count} ${what}`] : [...texts];
}
