import { isOnSameLine, type Word, wordsOf } from "./words";

/** The texts of the files that an `import` means, in order; undefined if they are unknown. */
export type ReadImport = (pattern: string) => readonly string[] | undefined;

/** The most that CoreDNS replaces (coredns/caddy, caddyfile/parse.go). */
const mostImports = 10_000;

/** More than a ConfigMap has room for: what imports multiply would fill the memory. */
const mostWords = 256 * 1024;

/** The words with snippets, and files whose text is known, in the place of what imports them. */
export function withImports(words: readonly Word[], readImport: ReadImport): Word[] {
  const snippets = new Map<string, readonly Word[]>();
  const all: Word[] = [];
  // The next one last: to take one from the front moves all others.
  const left = words.toReversed();
  let imports = 0;
  let depth = 0;
  for (let word = left.pop(); word; word = left.pop()) {
    const last = all.at(-1);
    const next = left.at(-1);
    // Also behind the brace that opens a server block.
    const isFirst = last === undefined || !isOnSameLine(last, word) || (depth === 1 && last.text === "{");
    const snippet = depth === 0 && next?.text === "{" ? /^\((.*)\)$/.exec(word.text)?.[1] : undefined;
    if (snippet !== undefined) snippets.set(snippet, takeBraces(left));
    else if (word.text === "import" && isFirst && next && isOnSameLine(word, next)) {
      const pattern = next.text;
      const imported = snippets.get(pattern) ?? readImport(pattern)?.flatMap((text) => wordsOf(text, {}));
      const isTooMany = ++imports > mostImports || all.length + left.length + (imported?.length ?? 0) > mostWords;
      if (imported === undefined || isTooMany) all.push(word);
      else {
        left.pop();
        for (const each of imported.toReversed()) left.push(each);
      }
    } else {
      all.push(word);
      depth += { "{": 1, "}": -1 }[word.text] ?? 0;
    }
  }
  return all;
}

/** Takes an opening brace and everything to the one that closes it. */
function takeBraces(words: Word[]): readonly Word[] {
  const taken: Word[] = [];
  let depth = 0;
  for (let word = words.pop(); word; word = words.pop()) {
    depth += { "{": 1, "}": -1 }[word.text] ?? 0;
    if (depth === 0) break;
    taken.push(word);
  }
  return taken.slice(1);
}
