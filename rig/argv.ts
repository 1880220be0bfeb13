/** The words of a command line. A value is part of one word, whatever it holds. */
export function argv({ raw }: TemplateStringsArray, ...values: readonly (string | number)[]): string[] {
  const words = raw.map((text, i) => (i === 0 ? text : `\0${i - 1}\0${text}`)).join("");
  const filled = (word: string) => word.replaceAll(/\0(\d+)\0/g, (_, i) => String(values[Number(i)]));
  return words.trim().split(/\s+/).map(filled);
}
