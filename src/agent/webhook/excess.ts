/** No object that a path is for nests deeper than some twenty levels, `managedFields` included. */
const mostLevels = 100;

/** A ConfigMap of a megabyte in keys of three letters has fewer. */
const mostValues = 200_000;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const openings = [0x5b, 0x7b];
const closings = [0x5d, 0x7d];

/** What of a JSON text would take many times its size to parse, undefined if nothing: nesting, or many values. */
export function excessIn(text: Uint8Array): string | undefined {
  let [levels, values, isInText] = [0, 0, false];
  for (let i = 0; i < text.length; i++) {
    const byte = text[i] ?? 0;
    if (byte === quote) isInText = !isInText;
    else if (isInText) {
      if (byte === backslash) i++;
    } else if (byte === comma) values++;
    else if (openings.includes(byte)) {
      values++;
      if (++levels > mostLevels) return `nests deeper than ${mostLevels} levels`;
    } else if (closings.includes(byte)) levels--;
    if (values > mostValues) return `has more than ${mostValues} values`;
  }
  return undefined;
}
