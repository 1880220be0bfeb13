import type { Argument, Corefile, Directive, ServerBlock, ServerKey, Variable } from "./corefile";
import { formatKey } from "./server-key";
import { orElse } from "../syntax/or-else";

/** Nothing in an argument can end its directive. @throws Error on what the syntax cannot express. */
export function renderCorefile(corefile: Corefile): string {
  return corefile.map(renderBlock).join("\n");
}

/** @throws Error on what the syntax cannot express. */
export function renderDirectives(directives: readonly Directive[]): string {
  return directives.map((each) => renderDirective(each, 0)).join("");
}

function renderBlock(block: ServerBlock): string {
  const plugins = block.plugins.map((each) => renderDirective(each, 1)).join("");
  return `${block.keys.map(renderKey).join(" ")} {\n${plugins}}\n`;
}

function renderKey(key: ServerKey): string {
  word(key.zone, zonePattern);
  return formatKey(key);
}

function renderDirective(directive: Directive, depth: number): string {
  const indent = "    ".repeat(depth);
  const words = [word(directive.name, namePattern), ...directive.args.map(renderArgument)];
  if (directive.options.length === 0) return `${indent}${words.join(" ")}\n`;
  const options = directive.options.map((option) => renderDirective(option, depth + 1)).join("");
  return `${indent}${words.join(" ")} {\n${options}${indent}}\n`;
}

// A zone must not contain what the parser treats specially in a server block's keys: `,` `{` `(`, or a scheme.
const zonePattern = /^(\.|[A-Za-z0-9_/-]+(\.[A-Za-z0-9_/-]+)*\.?)$/;
// The colon is for options of `hosts`, which start with an address. `import` would read a file.
const namePattern = /^(?!import$)[A-Za-z0-9_.:-]+$/;

function word(text: string, pattern: RegExp): string {
  if (!pattern.test(text)) throw new Error(`Corefile: ${JSON.stringify(text)} cannot be a zone or a directive`);
  return text;
}

/** Most arguments: nothing in them could be read in another way. */
const plain = /^[\w.:/*-]+$/;

function renderArgument(argument: Argument): string {
  if (typeof argument === "string" && plain.test(argument)) return argument;
  const parts = [argument].flat();
  const rendered = parts.map(renderPart).join("");
  // Text that is harmless alone may become a variable next to its neighbour.
  const variables = parts.filter((part) => typeof part === "object").length;
  if (rendered.split("{$").length - 1 !== variables || rendered.includes("{%")) refuse(rendered);
  return quote(rendered);
}

export function isArgument(text: string): boolean {
  return orElse(() => renderArgument(text), undefined) !== undefined;
}

function renderPart(part: string | number | Variable): string {
  if (typeof part === "object") return `{$${word(part.variable, /^[A-Z0-9_]+$/)}}`;
  const text = String(part);
  // CoreDNS replaces variables after splitting words, even in quotes, and a quoted brace still opens a block
  // (coredns/caddy caddyfile/parse.go, replaceEnvVars and directive): these cannot be escaped.
  if (/\{[$%]/.test(text) || text === "{" || text === "}" || controlCharacter.test(text)) refuse(text);
  return text;
}

function refuse(text: string): never {
  throw new Error(`Corefile: ${JSON.stringify(text)} cannot be an argument`);
}

// caddyfile/lexer.go: only `"` can be escaped, and only inside quotes; other backslashes are literal. Outside quotes, a
// `#` starts a comment even within a word.
function quote(text: string): string {
  if (text !== "" && !/[\s"#]/.test(text)) return text;
  if (/\\("|$)/.test(text)) throw new Error(`Corefile: ${JSON.stringify(text)} cannot be quoted`);
  return `"${text.replaceAll('"', '\\"')}"`;
}

const controlCharacter = /[\u0000-\u001f\u007f\u0085\u2028\u2029\ufeff]/;
