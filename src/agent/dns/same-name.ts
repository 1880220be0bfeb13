/** Whether two spellings name the same domain; case and a trailing dot do not matter. */
export function sameName(a: string, b: string): boolean {
  return a === b || canonical(a) === canonical(b);
}

function canonical(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
