/**
 * The line of a log by which a program says why it ended: the last one, but for a usage text, goroutines or a stack
 * after it. Options, frames and fields of these are indented.
 */
export function whyEnded(lines: readonly string[]): string | undefined {
  const said = lines.map((line) => line.trimEnd()).filter((line) => /^[^\s}]/.test(line));
  const usage = said.findLastIndex((line) => /^usage\b.*:/i.test(line));
  return said.findLast((line) => reason.test(line)) ?? said[usage - 1] ?? said.at(-1);
}

/** A panic of Go, an error that nobody caught in Node, one that cobra prints before its usage text. */
const reason = /^(panic|fatal error|([A-Z]\w*)?Error( \[\w+\])?): /;
