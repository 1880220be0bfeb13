import type { Position } from "./corefile";

export interface Word extends Position {
  readonly text: string;
  /** That in which it ends: a quoted word may have several. */
  readonly endLine: number;
  /** Told apart by identity; undefined for the Corefile itself. */
  readonly file?: object;
}

/** As caddyfile/lexer.go: only `"` can be escaped, and only inside quotes; a `#` begins a comment, also in a word. */
export function wordsOf(text: string, file?: object): Word[] {
  const words: Word[] = [];
  let [line, column] = [1, 0];
  let begun: Position | undefined;
  let word = "";
  let state: "between" | "word" | "quoted" | "escaped" | "comment" = "between";
  const end = () => {
    if (begun) words.push({ text: word, ...begun, endLine: line, ...(file && { file }) });
    [begun, word] = [undefined, ""];
  };
  const begin = (as: typeof state) => {
    begun = { line, column };
    state = as;
  };
  for (const char of text.replace(/^\ufeff/, "")) {
    column++;
    if (state === "escaped") {
      word += char === '"' ? char : `\\${char}`;
      state = "quoted";
    } else if (state === "quoted") {
      if (char === "\\") state = "escaped";
      else if (char === '"') {
        end();
        state = "between";
      } else word += char;
    } else if (isSpace.test(char)) {
      // A word that a comment cuts short ends there, and the comment with it.
      if (begun || state !== "comment" || char === "\n") state = "between";
      end();
    } else if (state === "comment") continue;
    else if (char === "#") state = "comment";
    else if (state === "between" && char === '"') begin("quoted");
    else {
      if (state === "between") begin("word");
      word += char;
    }
    if (char === "\n") [line, column] = [line + 1, 0];
  }
  end();
  return words;
}

/** As in Go, not as in JavaScript: U+0085 is one, and U+FEFF is none. */
const isSpace = /[^\S\ufeff]|\u0085/;

export function isOnSameLine(first: Word, second: Word | undefined): boolean {
  return second !== undefined && first.file === second.file && first.endLine === second.line;
}
