// Kubernetes quantities (apimachinery api/resource): parsed exactly, and formatted as the API server does.

import { own } from "./mapping";

const decimal = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 } as const;
const binary = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 } as const;
const nano = 10n ** 9n;

/** Above this, the API server does not return the value it was given. */
const largest = (2n ** 63n - 1n) * nano;

export interface Quantity {
  /** In billionths, the smallest unit that Kubernetes keeps. */
  readonly nanos: bigint;
  readonly binary: boolean;
}

/** `100m`, `1.5`, `70Mi`, `1e3` or a number; undefined for anything else, negative, or above 2^63-1. */
export function parseQuantity(text: string | number): Quantity | undefined {
  const quantity = parse(text);
  return quantity && quantity.nanos <= largest ? quantity : undefined;
}

function parse(text: string | number): Quantity | undefined {
  const match = /^\+?(\d{1,28})?(?:\.(\d{0,9}))?(?:(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)|[eE]([+-]?\d{1,2}))?$/.exec(
    String(text),
  );
  if (!match || (match[1] === undefined && !match[2])) return undefined;
  const [, whole = "0", fraction = "", suffix = "", exponent] = match;
  const nanos = BigInt(whole) * nano + BigInt(fraction.padEnd(9, "0"));
  const bits = own(binary, suffix);
  if (bits !== undefined) return { nanos: nanos << BigInt(bits), binary: true };
  const power = exponent === undefined ? (own(decimal, suffix) ?? 0) : Number(exponent);
  const factor = 10n ** BigInt(Math.abs(power));
  if (power < 0 && nanos % factor !== 0n) return undefined;
  return { nanos: power < 0 ? nanos / factor : nanos * factor, binary: false };
}

/** Whether both are quantities, the first the larger one. */
export function isMore(text: string | number | undefined, than: string | number | undefined): boolean {
  const [a, b] = [text, than].map((quantity) => (quantity === undefined ? undefined : parseQuantity(quantity)));
  return a !== undefined && b !== undefined && a.nanos > b.nanos;
}

/** The API server's own spelling, so that a comparison with the cluster shows no difference. */
export function formatQuantity({ nanos, binary: isBinary }: Quantity): string {
  if (nanos === 0n) return "0";
  // A binary suffix needs a multiple of Ki; anything else would be read back as decimal.
  if (isBinary && nanos % (1024n * nano) === 0n) {
    return largestUnit(
      nanos / nano,
      Object.entries(binary).map(([suffix, bits]) => [suffix, 1n << BigInt(bits)]),
    );
  }
  return largestUnit(
    nanos,
    Object.entries(decimal).map(([suffix, power]) => [suffix, 10n ** BigInt(power + 9)]),
  );
}

function largestUnit(value: bigint, units: [suffix: string, size: bigint][]): string {
  const unit = units.filter(([, size]) => value % size === 0n).pop() ?? ["", 1n];
  return `${value / unit[1]}${unit[0]}`;
}
