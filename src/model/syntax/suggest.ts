import { distance } from "fastest-levenshtein";

/** `; did you mean ipvs?` if one of the accepted words is close to what was written, else an empty string. */
export function suggest(got: string, accepted: readonly string[]): string {
  const word = closest(got, accepted);
  return word === undefined ? "" : `; did you mean ${word}?`;
}

export function closest(got: string, accepted: readonly string[]): string | undefined {
  const ranked = accepted
    .map((word) => ({ word, away: distance(got.toLowerCase(), word.toLowerCase()) }))
    .sort((a, b) => a.away - b.away);
  const best = ranked[0];
  return best && best.away <= Math.ceil(Math.min(got.length, best.word.length) / 4) ? best.word : undefined;
}

/** Whether a name that may be another was probably meant to be this one: a typo or two away. */
export function isMisspelt(got: string, name: string): boolean {
  return got !== name && distance(got, name) <= 2;
}
