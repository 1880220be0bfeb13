import { orElse } from "./or-else";

/** The value of a text that somebody else wrote; undefined if it is not JSON. */
export function parseJSON(text: string): unknown {
  return orElse(() => JSON.parse(text) as unknown, undefined);
}
