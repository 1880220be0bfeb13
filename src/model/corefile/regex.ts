/** A regular expression that matches a text and nothing else. */
export function regexOf(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** CoreDNS takes at most 10,000 characters (plugin/rewrite/name.go); the rest of a rule needs less than the difference. */
const longest = 9000;

/** Expressions that match one of the texts each, as few as CoreDNS's limit for their length allows; none for no text. */
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
