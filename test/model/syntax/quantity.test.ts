import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatQuantity, parseQuantity } from "../../../src/model/syntax/quantity";

function canonical(text: string | number): string | undefined {
  const quantity = parseQuantity(text);
  return quantity && formatQuantity(quantity);
}

// Any other spelling differs from what the API server keeps (apimachinery, resource.Quantity).
describe("the spelling of the API server", () => {
  const spelled = [
    "1000m=1 0.1=100m .5=500m 5.=5 +100m=100m 1500m=1500m 1e3=1k 1E3=1k 2E=2E 1e-1=100m 100n=100n 0=0 0Mi=0",
    "70Mi=70Mi 1024Mi=1Gi 1000Mi=1000Mi 1.5Gi=1536Mi 0.5Mi=512Ki 007Mi=7Mi",
    // Less than one Ki is written in decimal.
    "0.5Ki=512 128974848=128974848 129000000=129M 129M=129M 1000k=1M",
  ].flatMap((line) => line.split(" ").map((each) => each.split("=") as [string, string]));
  it.each<[written: string | number, spelled: string]>([[1, "1"], [0.5, "500m"], ...spelled])(
    "of %j is %s",
    (text, expected) => expect(canonical(text)).toBe(expected),
  );

  it("is reached in one step, whatever was written", () => {
    const suffixes = ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-2"];
    fc.assert(
      fc.property(fc.nat(), fc.nat(999), fc.constantFrom(...suffixes), (whole, fraction, suffix) => {
        const once = canonical(`${whole}.${fraction}${suffix}`);
        expect(once === undefined ? undefined : canonical(once)).toBe(once);
      }),
    );
  });
});

describe("not a quantity", () => {
  it.each(["", "-1", "1 Mi", "70MB", "70mi", "1e", "Mi", ".", "0x10", "1_000", "1e999", "∞", "NaN"])("%j", (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  // The API server caps at 2^63-1 and would return that.
  it.each(["9223372036854775808", "10E", "8Ei", "999E", 1e19])("%j, which is too large", (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  it("the largest is a quantity", () => expect(canonical("9223372036854775807")).toBe("9223372036854775807"));
});
