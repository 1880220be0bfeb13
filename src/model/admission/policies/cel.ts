/** A string as a CEL literal; JSON and CEL have the same escapes. */
export function celString(text: string): string {
  return JSON.stringify(text);
}

export function celList(texts: readonly string[]): string {
  return `[${texts.map(celString).join(", ")}]`;
}
