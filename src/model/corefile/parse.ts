import type { Position, ServerKey, WrittenBlock, WrittenCorefile, WrittenDirective } from "./corefile";
import { type ReadImport, withImports } from "./imports";
import { parseKey } from "./server-key";
import { isOnSameLine, type Word, wordsOf } from "./words";

/** Text that CoreDNS cannot read as a Corefile, and where. */
export class CorefileError extends Error {
  constructor(
    message: string,
    readonly at: Position,
  ) {
    super(message);
  }
}

/**
 * Reads a Corefile as CoreDNS does (coredns/caddy, caddyfile/parse.go). Snippets are filled in where they are imported.
 * A file whose text is unknown stays a directive `import`; beside the blocks, in one without keys.
 * @throws CorefileError on unbalanced braces, and on keys that are none.
 */
export function parseCorefile(text: string, readImport: ReadImport = () => undefined): WrittenCorefile {
  const words = withImports(wordsOf(text), readImport);
  const blocks: WrittenBlock[] = [];
  while (words[0]) {
    const [first] = words;
    if (first.text === "import") {
      blocks.push({ keys: [], plugins: [takeDirective(words)], at: placeOf(first) });
      continue;
    }
    const keys = takeKeys(words);
    const opening = words.shift();
    if (opening?.text !== "{") throw new CorefileError("a server block has no braces", placeOf(first));
    blocks.push({ keys, plugins: takeBlock(words, opening), at: placeOf(first) });
  }
  return blocks;
}

/**
 * Reads directives without a server block around them.
 * @throws CorefileError on unbalanced braces.
 */
export function parseDirectives(text: string): readonly WrittenDirective[] {
  const words = withImports(wordsOf(text), () => undefined);
  const directives: WrittenDirective[] = [];
  while (words[0]) {
    if (words[0].text === "}") throw new CorefileError("a brace closes what none opened", placeOf(words[0]));
    directives.push(takeDirective(words));
  }
  return directives;
}

/** Those of one line, and of the next after a comma. */
function takeKeys(words: Word[]): ServerKey[] {
  const keys: ServerKey[] = [];
  for (let word = words[0]; word && word.text !== "{"; word = words[0]) {
    words.shift();
    const key = parseKey(word.text.replace(/,$/, ""));
    if (!key) throw new CorefileError(`${JSON.stringify(word.text)} is no zone of a server block`, placeOf(word));
    keys.push(key);
    if (!word.text.endsWith(",") && !isOnSameLine(word, words[0])) break;
  }
  return keys;
}

/** Takes directives up to the brace that closes the block. */
function takeBlock(words: Word[], opening: Word): WrittenDirective[] {
  const directives: WrittenDirective[] = [];
  while (words[0] && words[0].text !== "}") directives.push(takeDirective(words));
  if (!words.shift()) throw new CorefileError("a brace is not closed", placeOf(opening));
  return directives;
}

/** A directive extends to the end of its line or of its braces. */
function takeDirective(words: Word[]): WrittenDirective {
  const first = words.shift() as Word;
  const args: string[] = [];
  let last = first;
  for (let word = words[0]; word && isOnSameLine(last, word) && !isBrace(word); word = words[0]) {
    args.push(word.text);
    last = word;
    words.shift();
  }
  const opening = words[0]?.text === "{" ? words.shift() : undefined;
  return { name: first.text, args, options: opening ? takeBlock(words, opening) : [], at: placeOf(first) };
}

function isBrace({ text }: Word): boolean {
  return text === "{" || text === "}";
}

function placeOf({ line, column }: Word): Position {
  return { line, column };
}
