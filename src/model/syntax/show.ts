// How values appear in messages.

/** A value on one line, truncated if long. */
export function show(value: unknown): string {
  const text =
    typeof value === "bigint"
      ? `${value}n`
      : typeof value === "number"
        ? String(value)
        : (JSON.stringify(value, inJson) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** JSON has no big integers, and would write NaN and Infinity as null. */
function inJson(_: string, part: unknown): unknown {
  if (typeof part === "bigint") return `${part}n`;
  return typeof part === "number" && !Number.isFinite(part) ? String(part) : part;
}

/** A word with its article: `a loopback`, `an unspecified`. */
export function article(word: string): string {
  return `${/^[aeio]|^un[^i]/i.test(word) ? "an" : "a"} ${word}`;
}
