/** A Corefile that is written in fewer lines: `.:53 { errors; health { lameduck 5s }; ready }`. */
export function spread(text: string): string {
  return text
    .replaceAll(/(?<!\{)\{ /g, "{\n")
    .replaceAll(/ \}(?!\})/g, "\n}")
    .replaceAll(/; /g, "\n")
    .replaceAll(/^ +/gm, "")
    .trimStart();
}

/** The other way round: a Corefile in one line. */
export function gather(text: string): string {
  return text
    .trim()
    .replaceAll(/\{\n\s*/g, "{ ")
    .replaceAll(/\s*\n\s*\}/g, " }")
    .replaceAll(/\s*\n\s*/g, "; ");
}
