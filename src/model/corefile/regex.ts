export function regexOf(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** CoreDNS takes at most 10,000 characters (plugin/rewrite/name.go); the rest of a rule fits into the difference. */
const longest = 9000;

/** Expressions that each match one of the texts, as few as CoreDNS's length limit allows; none for an empty list. */
export function regexAlternations(texts: readonly string[]): string[] {
  const chunks: string[][] = [];
  let length = longest + 1;
  for (const text of texts.map(regexOf)) {
    length += text.length + 1;
    if (length > longest) {
      chunks.push([]);
      length = text.length + 1;
    }
    chunks.at(-1)?.push(text);
  }
  return chunks.map((chunk) => `(?:${chunk.join("|")})`);
}
