export { lineOf as written } from "../corefile/line";

export function wholeNumber(text: string | undefined): number | undefined {
  return /^\d+$/.test(text ?? "") ? Number(text) : undefined;
}
