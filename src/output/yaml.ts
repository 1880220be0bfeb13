/** What JSON can hold; undefined properties are left out. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/**
 * JSON data as block YAML that YAML 1.1 readers (kubectl, Argo CD, Flux) and YAML 1.2 readers understand alike: a
 * string stays unquoted only if no reader could take it for anything else. A general emitter takes ten times as long,
 * which would be most of a synthesis.
 */
export function toYaml(value: Json, comments: Comments = none): string {
  if (!isBlock(value)) return `${scalar(value, "  ")}\n`;
  const lines: string[] = [];
  addLines(lines, value, "", "", comments);
  lines.push("");
  return lines.join("\n");
}

/** Comments for lines `key: value`, which come behind each such line. */
export type Comments = { readonly [line: string]: string };

const none: Comments = {};

/** @param first What stands before the first line, such as the dash of a list's entry. */
function addLines(
  lines: string[],
  value: readonly Json[] | JsonObject,
  first: string,
  indent: string,
  comments: Comments,
): void {
  const inner = `${indent}  `;
  let start = first;
  if (isList(value)) {
    for (const item of value) {
      if (isBlock(item)) addLines(lines, item, `${start}- `, inner, comments);
      else lines.push(`${start}- ${scalar(item, inner)}`);
      start = indent;
    }
    return;
  }
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (item === undefined) continue;
    if (isBlock(item)) {
      lines.push(`${start}${keyText(key)}:`);
      addLines(lines, item, inner, inner, comments);
    } else {
      const line = `${keyText(key)}: ${scalar(item, inner)}`;
      const comment = comments === none ? undefined : comments[line];
      lines.push(comment === undefined ? start + line : `${start}${line} # ${comment}`);
    }
    start = indent;
  }
}

type JsonObject = { readonly [key: string]: Json | undefined };

/** Objects have the same keys again and again. */
const keyTexts = new Map<string, string>();

function keyText(key: string): string {
  let text = keyTexts.get(key);
  if (text === undefined) keyTexts.set(key, (text = isPlain(key) ? key : quoted(key)));
  return text;
}

function isList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value);
}

/** Non-empty lists and mappings take lines of their own. */
function isBlock(value: Json): value is readonly Json[] | JsonObject {
  if (typeof value !== "object" || value === null) return false;
  if (isList(value)) return value.length > 0;
  for (const key in value) if (value[key] !== undefined) return true;
  return false;
}

function scalar(value: Json, indent: string): string {
  switch (typeof value) {
    case "string":
      if (isPlain(value)) return value;
      return isText(value) ? literal(value, indent) : quoted(value);
    case "number":
      if (!Number.isFinite(value)) throw new TypeError(`${value} is not a number that YAML for Kubernetes can hold`);
      return String(value);
    case "boolean":
      return String(value);
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "[]" : "{}";
    default:
      throw new TypeError(`a ${typeof value} is not JSON`);
  }
}

/** Starts with a letter, `/` or `_`, and contains nothing that has a meaning in YAML, as a colon before a space has. */
const word = /^(?:[A-Za-z_/]|--?[A-Za-z])[\w./@+=,;:()[\]$*<>|!?&%~{}"'\\ -]*$/;

/** Addresses, and Kubernetes' quantities; to some reader, other words that start with a digit are numbers or times. */
const digits = /^(?:\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d+)?|\d+(?:m|s|Ki|Mi|Gi|%))$/;

/** Booleans and null of YAML 1.1, and what some of its readers take for a number without digits before the exponent. */
const reserved = /^(?:true|false|yes|no|on|off|y|n|null|-?e[-+]?\d+)$/i;

function isPlain(text: string): boolean {
  if (!word.test(text)) return digits.test(text);
  return !text.endsWith(" ") && !text.endsWith(":") && !text.includes(": ") && !reserved.test(text);
}

/** Text of several lines that a literal block can hold unescaped. */
function isText(text: string): boolean {
  return text.includes("\n") && /^[^\s]/.test(text) && !unprintable.test(text);
}

/** What every reader needs escaped: controls, other line breaks, byte order marks, lone surrogates. */
const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/;

function literal(text: string, indent: string): string {
  const trailing = /\n*$/.exec(text)?.[0].length ?? 0;
  const chomping = trailing === 0 ? "-" : trailing === 1 ? "" : "+";
  const lines = (trailing === 0 ? text : text.slice(0, -1)).split("\n");
  return `|${chomping}\n${lines.map((line) => (line === "" ? "" : indent + line)).join("\n")}`;
}

/** JSON's escapes are also YAML's; JSON leaves most characters from U+007F on unescaped. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
