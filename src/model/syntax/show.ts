// How values appear in messages.

/** A value on one line, truncated if long. */
export function show(value: unknown): string {
  const text =
    JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part)) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** A word with its article: `a loopback`, `an unspecified`. */
export function article(word: string): string {
  return `${/^[aeio]|^un[^i]/.test(word) ? "an" : "a"} ${word}`;
}
