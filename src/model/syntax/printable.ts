/** Without what a terminal would follow or not show: names, images and files of somebody else may hold it. */
export function printable(text: string): string {
  return text.replace(/[^\n\t -~]+/g, escaped);
}

/** The same for a text that must stay on its line. */
export function onOneLine(text: string): string {
  return text.replace(/[^ -~]+/g, escaped);
}

/** Only of what is not plain ASCII: V8 looks up the category of every character there is to make the expression. */
function escaped(part: string): string {
  return part.replace(
    /[\p{Cc}\p{Cf}\p{Z}]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
