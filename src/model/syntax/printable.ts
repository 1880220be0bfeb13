/**
 * A text for a terminal, which would follow control characters and marks of direction, and shows neither those nor
 * unusual spaces: names, images and files of somebody else may hold them.
 */
export function printable(text: string): string {
  return text.replace(unseen, (c) => (c === "\n" || c === "\t" ? c : escaped(c)));
}

/** The same for a text that must stay on its line. */
export function onOneLine(text: string): string {
  return text.replace(unseen, escaped);
}

const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}
