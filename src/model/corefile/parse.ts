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
  const words = withImports(wordsOf(text), readImport).toReversed();
  // At the end of the text, CoreDNS takes the last brace for that of the server block, too.
  const endsInBrace = words[0]?.text === "}";
  const blocks: WrittenBlock[] = [];
  for (let first = words.at(-1); first; first = words.at(-1)) {
    if (first.text === "import") {
      blocks.push({ keys: [], plugins: [takeDirective(words, first)], at: placeOf(first) });
      continue;
    }
    const keys = takeKeys(words);
    const opening = words.pop();
    if (opening?.text !== "{") throw new CorefileError("a server block has no braces", placeOf(first));
    blocks.push({ keys, plugins: takeBlock(words, opening, endsInBrace), at: placeOf(first) });
  }
  return blocks;
}

/** Directives without a server block around them. @throws CorefileError on unbalanced braces. */
export function parseDirectives(text: string): readonly WrittenDirective[] {
  const words = withImports(wordsOf(text), () => undefined).toReversed();
  const directives: WrittenDirective[] = [];
  for (let first = words.at(-1); first; first = words.at(-1)) {
    if (first.text === "}") throw new CorefileError("a brace closes what none opened", placeOf(first));
    directives.push(takeDirective(words, first));
  }
  return directives;
}

// Words are taken from the end of the list, which has the first one last: to take one from the front moves all others.

/** Those of one line, and of the next after a comma. */
function takeKeys(words: Word[]): ServerKey[] {
  const keys: ServerKey[] = [];
  for (let word = words.at(-1); word && word.text !== "{"; word = words.at(-1)) {
    words.pop();
    const key = parseKey(word.text.replace(/,$/, ""));
    if (!key) throw new CorefileError(`${JSON.stringify(word.text)} is no zone of a server block`, placeOf(word));
    keys.push(key);
    if (!word.text.endsWith(",") && !isOnSameLine(word, words.at(-1))) break;
  }
  return keys;
}

/** More than any plugin reads. */
const deepest = 16;

/** Takes directives up to the brace that closes the block, or to the end if it need not be closed. */
function takeBlock(words: Word[], opening: Word, mayEnd = false, depth = 0): WrittenDirective[] {
  if (depth > deepest) throw new CorefileError(`braces in more than ${deepest} others`, placeOf(opening));
  const directives: WrittenDirective[] = [];
  for (let next = words.at(-1); next && next.text !== "}"; next = words.at(-1))
    directives.push(takeDirective(words, next, depth));
  if (!words.pop() && !mayEnd) throw new CorefileError("a brace is not closed", placeOf(opening));
  return directives;
}

/** A directive extends to the end of its line or of its braces. @param first The next word. */
function takeDirective(words: Word[], first: Word, depth = 0): WrittenDirective {
  words.pop();
  const args: string[] = [];
  let last = first;
  for (let word = words.at(-1); word && isOnSameLine(last, word) && !isBrace(word); word = words.at(-1)) {
    args.push(word.text);
    last = word;
    words.pop();
  }
  const opening = words.at(-1)?.text === "{" ? words.pop() : undefined;
  return {
    name: first.text,
    args,
    options: opening ? takeBlock(words, opening, false, depth + 1) : [],
    at: placeOf(first),
  };
}

function isBrace({ text }: Word): boolean {
  return text === "{" || text === "}";
}

function placeOf({ line, column }: Word): Position {
  return { line, column };
}
