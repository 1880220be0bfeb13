import { isMapping } from "../../../src/model/syntax/mapping";

/** Values in effect as a user would write them: without keys that have none. */
export function writtenOut(value: unknown): unknown {
  if (!isMapping(value)) return value ?? undefined;
  const entries = Object.entries(value).map(([key, child]) => [key, writtenOut(child)] as const);
  return Object.fromEntries(entries.filter(([, child]) => child !== undefined));
}
