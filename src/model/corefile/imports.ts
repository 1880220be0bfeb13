import { isOnSameLine, type Word, wordsOf } from "./words";

/** The texts of the files that an `import` means, in order; undefined if they are unknown. */
export type ReadImport = (pattern: string) => readonly string[] | undefined;

/** The most that CoreDNS replaces (coredns/caddy, caddyfile/parse.go). */
const mostImports = 10_000;

/** The words with snippets, and files whose text is known, in the place of what imports them. */
export function withImports(words: readonly Word[], readImport: ReadImport): Word[] {
  const snippets = new Map<string, readonly Word[]>();
  const all: Word[] = [];
  const left = [...words];
  let imports = 0;
  let depth = 0;
  for (let word = left.shift(); word; word = left.shift()) {
    const last = all.at(-1);
    const isFirst = last === undefined || !isOnSameLine(last, word);
    const snippet = depth === 0 && left[0]?.text === "{" ? /^\((.*)\)$/.exec(word.text)?.[1] : undefined;
    if (snippet !== undefined) snippets.set(snippet, takeBraces(left));
    else if (word.text === "import" && isFirst && isOnSameLine(word, left[0])) {
      const pattern = left[0]?.text ?? "";
      const imported = snippets.get(pattern) ?? readImport(pattern)?.flatMap((text) => wordsOf(text, {}));
      if (imported === undefined || ++imports > mostImports) all.push(word);
      else left.splice(0, 1, ...imported);
    } else {
      all.push(word);
      depth += { "{": 1, "}": -1 }[word.text] ?? 0;
    }
  }
  return all;
}

/** Takes an opening brace and everything to the one that closes it. */
function takeBraces(words: Word[]): readonly Word[] {
  let depth = 0;
  const end = words.findIndex(({ text }) => {
    depth += { "{": 1, "}": -1 }[text] ?? 0;
    return depth === 0;
  });
  return words.splice(0, end < 0 ? words.length : end + 1).slice(1, end < 0 ? undefined : -1);
}
