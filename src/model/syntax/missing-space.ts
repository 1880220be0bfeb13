/** What to say of a text that a space would make an entry of a list, or a key and its value; else an empty string. */
export function missingSpace(text: string): string {
  if (/^-[^\s-]/.test(text)) return 'a space is missing after "-"';
  const key = keyBeforeColon(text);
  return key === undefined ? "" : `a space is missing after ${key}:`;
}

/** The key of `ttl:5`; what begins with a digit is rather an address and its port. */
export function keyBeforeColon(text: string): string | undefined {
  return /^([A-Za-z][\w./-]*):[^\s/:]/.exec(text)?.[1];
}
