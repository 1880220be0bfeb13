/** Names and images may hold escape sequences and marks of direction, which a terminal would follow. */
export function printable(text: string): string {
  return text.replace(
    /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
