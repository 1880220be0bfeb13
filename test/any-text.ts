import fc from "fast-check";

const codePoint = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

/** Of any characters. With fast-check's own `unit: "binary"`, each worker would list a million of them, for a second. */
export function anyText(maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: codePoint, maxLength });
}
