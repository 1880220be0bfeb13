/** A server block of any Corefile, as written. */
export interface WrittenBlock {
  /** `.`, `.:53`, `dns://corp.example.` */
  readonly keys: readonly string[];
  readonly plugins: readonly WrittenDirective[];
}

/** A plugin, or an option inside a plugin's braces. */
export interface WrittenDirective {
  readonly name: string;
  readonly args: readonly string[];
  readonly options: readonly WrittenDirective[];
}

/**
 * Reads a Corefile (coredns/caddy, caddyfile/lexer.go and parse.go). Imports and snippets are read as plain directives
 * and not resolved.
 * @throws Error on unbalanced braces.
 */
export function parseCorefile(text: string): WrittenBlock[] {
  const words = text.split("\n").flatMap(wordsOf);
  const blocks: WrittenBlock[] = [];
  while (words[0]) {
    const [{ text: first, line }] = words as [Word];
    if (first === "import") {
      const end = words.findIndex((word) => word.line !== line);
      const keys = words.splice(0, end < 0 ? words.length : end).map((word) => word.text);
      blocks.push({ keys, plugins: [] });
      continue;
    }
    const brace = words.findIndex((word) => word.text === "{");
    if (brace < 0) throw new Error("a server block has no braces");
    const keys = words.splice(0, brace).map((word) => word.text.replace(/,$/, ""));
    words.shift();
    blocks.push({ keys, plugins: takeBlock(words) });
  }
  return blocks;
}

interface Word {
  readonly text: string;
  readonly line: number;
}

/** Takes directives up to the brace that closes the block: each extends to the end of its line or of its braces. */
function takeBlock(words: Word[]): WrittenDirective[] {
  const directives: WrittenDirective[] = [];
  for (let first = words.shift(); first; first = words.shift()) {
    if (first.text === "}") return directives;
    const { line } = first;
    const end = words.findIndex((word) => word.line !== line || word.text === "{" || word.text === "}");
    const args = words.splice(0, end < 0 ? words.length : end).map((word) => word.text);
    const opens = words[0]?.text === "{" && words[0].line === line;
    if (opens) words.shift();
    directives.push({ name: first.text, args, options: opens ? takeBlock(words) : [] });
  }
  throw new Error("a brace is not closed");
}

function wordsOf(text: string, line: number): Word[] {
  const words: Word[] = [];
  for (const [word, quoted] of text.matchAll(/"((?:\\.|[^"\\])*)"|#.*|[^\s"#]\S*/g)) {
    if (word.startsWith("#")) break;
    words.push({ text: quoted === undefined ? word : quoted.replaceAll('\\"', '"'), line });
  }
  return words;
}
