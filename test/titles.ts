/**
 * The titles of the tests in a source: what `it`, `test` and `describe` begin with, and the texts of the tables that
 * `each` fills titles from.
 */
export function titlesIn(source: string): string[] {
  const code = source.replace(/^\s*(?:\/\/|\/?\*).*$|\s\/\/ .*$/gm, "");
  return [...code.matchAll(/\b(?:it|test|describe|failover)(?=[.(<])/g)].flatMap(({ 0: name, index }) => {
    const calls = callsAfter(code, index + name.length);
    const tables = calls
      .filter(({ method }) => method === "each")
      .flatMap(({ args }) => [args, ...tablesOf(code, args)]);
    return [...stringsIn(calls.at(-1)?.args ?? "").slice(0, 1), ...tables.flatMap(stringsIn)];
  });
}

interface Call {
  readonly method: string | undefined;
  readonly args: string;
}

/** Calls one after the other: `.each([...])("title", () => ...)` are two. */
function callsAfter(code: string, start: number): Call[] {
  const calls: Call[] = [];
  for (let at = start; ;) {
    const between = /^(?:\.\w+)*/.exec(code.slice(at))?.[0] ?? "";
    at += between.length;
    if (code[at] === "<") at = closing(code, at, "<", ">");
    if (code[at] !== "(") return calls;
    const end = closing(code, at, "(", ")");
    calls.push({ method: between.split(".").at(-1), args: code.slice(at, end) });
    at = end;
  }
}

/** The constants that a call's arguments name, and those that they name. */
function tablesOf(code: string, args: string): string[] {
  const names = [...args.replace(strings, "").matchAll(/\b[a-z]\w*/gi)].map(([name]) => name);
  return [...new Set(names)].flatMap((name) => {
    const [declared] = new RegExp(`^\\s*(?:export )?const ${name}\\b.*? =\\s+`, "ms").exec(code) ?? [];
    if (declared === undefined) return [];
    const at = code.indexOf(declared) + declared.length;
    return [code.slice(at, code[at] === "[" ? closing(code, at, "[", "]") : code.indexOf(";\n", at))];
  });
}

const strings = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`/g;

function stringsIn(code: string): string[] {
  return (code.match(strings) ?? []).map((text) => text.slice(1, -1));
}

/** The index behind what closes the bracket at `start`. */
function closing(code: string, start: number, open: string, close: string): number {
  const tokens = new RegExp(`${strings.source}|=>|[${open === "[" ? "\\[\\]" : open + close}]`, "g");
  tokens.lastIndex = start;
  let depth = 0;
  for (let token = tokens.exec(code); token !== null; token = tokens.exec(code)) {
    if (token[0] === open) depth++;
    if (token[0] === close && --depth === 0) return tokens.lastIndex;
  }
  return code.length;
}
