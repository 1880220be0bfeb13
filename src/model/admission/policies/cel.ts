/** A string as CEL has it. JSON's escapes are CEL's. */
export function celString(text: string): string {
  return JSON.stringify(text);
}

export function celList(texts: readonly string[]): string {
  return `[${texts.map(celString).join(", ")}]`;
}
