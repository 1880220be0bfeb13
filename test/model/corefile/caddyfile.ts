// How CoreDNS reads a Corefile, from the rules of its lexer and parser (github.com/coredns/caddy, caddyfile/lexer.go
// and parse.go), independent of the renderer: what a quote, a backslash, a brace, a comment and `{$NAME}` mean.

export interface ReadBlock {
  readonly keys: readonly string[];
  readonly lines: readonly ReadLine[];
}

/** A directive, or an option in the braces of one. */
export interface ReadLine {
  readonly words: readonly string[];
  readonly options?: readonly ReadLine[];
}

interface Token {
  readonly text: string;
  readonly line: number;
}

/** The blocks that CoreDNS would see with these environment variables. */
export function readCorefile(text: string, environment: { readonly [name: string]: string } = {}): ReadBlock[] {
  const tokens = lex(text).map(({ text: word, line }) => ({ text: replaceVariables(word, environment), line }));
  const blocks: ReadBlock[] = [];
  while (tokens.length > 0) {
    const end = tokens.findIndex(({ text: word }) => word === "{");
    if (end < 0) throw new Error("a block without braces");
    const keys = tokens.splice(0, end).map(({ text: word }) => word);
    tokens.shift();
    blocks.push({ keys, lines: readLines(tokens) });
  }
  return blocks;
}

function readLines(tokens: Token[]): ReadLine[] {
  const lines: ReadLine[] = [];
  for (let first = tokens.shift(); first; first = tokens.shift()) {
    if (first.text === "}") return lines;
    if (first.text === "import") throw new Error("import reads another file");
    const words = [first.text];
    let options: ReadLine[] | undefined;
    // A directive goes on to the end of its line; a brace opens its options wherever it stands.
    for (let next = tokens[0]; next && (next.text === "{" || next.line === first.line); next = tokens[0]) {
      tokens.shift();
      if (next.text === "}") throw new Error("a closing brace without an opening one");
      if (next.text === "{") {
        options = readLines(tokens);
        break;
      }
      words.push(next.text);
    }
    lines.push(options ? { words, options } : { words });
  }
  throw new Error("a brace is not closed");
}

function lex(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let word = "";
  let state: "between" | "word" | "quoted" | "escaped" | "comment" = "between";
  const end = () => {
    tokens.push({ text: word, line });
    word = "";
  };
  for (const char of text) {
    if (state === "quoted") {
      if (char === '"') {
        end();
        state = "between";
      } else if (char === "\\") state = "escaped";
      else word += char;
    } else if (state === "escaped") {
      word += char === '"' ? '"' : `\\${char}`;
      state = "quoted";
    } else if (isSpace(char)) {
      if (word !== "") end();
      if (state !== "comment" || char === "\n") state = "between";
    } else if (state === "comment") continue;
    else if (char === "#") state = "comment";
    else if (state === "between" && char === '"') state = "quoted";
    else {
      word += char;
      state = "word";
    }
    if (char === "\n") line++;
  }
  if (word !== "") end();
  return tokens;
}

// Go's unicode.IsSpace.
function isSpace(char: string): boolean {
  return /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/.test(char);
}

function replaceVariables(word: string, environment: { readonly [name: string]: string }): string {
  return word
    .replace(/\{%(.+?)%\}/g, (_, name: string) => environment[name] ?? "")
    .replace(/\{\$(.+?)\}/g, (_, name: string) => environment[name] ?? "");
}
