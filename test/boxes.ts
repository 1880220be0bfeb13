import { expect } from "vitest";
import { readText } from "./repository";

/** The boxes of a page. */
export function boxesIn(page: string): { readonly language: string; readonly text: string }[] {
  const boxes = readText(page).matchAll(/^```(\w+)\n([^]*?)^```$/gm);
  return [...boxes].map(([, language = "", text = ""]) => ({ language, text }));
}

/** A line `...` of the box stands for any lines, and a hash for any other. */
export function expectShown(printed: string, box: string): void {
  const literal = withoutHashes(box).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = new RegExp(`^${literal.replaceAll(/^\\\.\\\.\\\.\n/gm, "(?:.*\\n)*?")}$`);
  expect(withoutHashes(printed)).toMatch(pattern);
}

/** They change with each Corefile. */
function withoutHashes(text: string): string {
  return text.replaceAll(/-[0-9a-f]{10}\b/g, "-HASH");
}
