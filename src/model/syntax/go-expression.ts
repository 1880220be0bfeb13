import type { RE2JS } from "re2js";

/** CoreDNS takes at most so many characters (plugin/rewrite/name.go, plugin/template/setup.go, plugin/errors/setup.go). */
export const longestExpression = 10_000;

/** An expression as Go reads it, or why Go does not. */
export type GoExpression = { readonly read: RE2JS } | { readonly fault: string };

/** Go's expressions are RE2's. Loaded for the first expression: few descriptions have one, and it takes milliseconds. */
export function readGoExpression(text: string): GoExpression {
  if (text.length > longestExpression) return { fault: `${text.length} characters` };
  const re2 = require("re2js") as typeof import("re2js");
  try {
    return { read: re2.RE2JS.compile(text) };
  } catch (error) {
    if (!(error instanceof re2.RE2JSException)) throw error;
    return { fault: error.message };
  }
}
