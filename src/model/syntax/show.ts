// How values appear in messages.

/** A value on one line, and not too long. */
export function show(value: unknown): string {
  const text =
    JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part)) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** `a loopback`, `an unspecified`: a word with its article. */
export function article(word: string): string {
  return `${/^[aeio]|^un[^i]/.test(word) ? "an" : "a"} ${word}`;
}
