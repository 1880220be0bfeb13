/**
 * A text for a terminal, which would follow control characters and marks of direction: names, images and files of
 * somebody else may hold them.
 */
export function printable(text: string): string {
  return text.replace(obeyed, (c) => (c === "\n" || c === "\t" ? c : escaped(c)));
}

/** The same for a text that must stay on its line. */
export function onOneLine(text: string): string {
  return text.replace(obeyed, escaped);
}

const obeyed = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/gu;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
