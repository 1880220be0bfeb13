/** The server block of a zone, as text. */
export function blockOf(corefile: string, zone: string): string {
  const block = corefile.split(/(?<=^\}\n)/m).find((each) => each.trimStart().split(" ").includes(`${zone}:53`));
  if (block === undefined) throw new Error(`no block for ${zone}`);
  return block.trimStart();
}
