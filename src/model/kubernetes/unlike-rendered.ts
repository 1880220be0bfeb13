import type { Problem } from "../syntax/problem";
import { type Difference, differences } from "./differences";
import { isOfServer } from "./of-server";

/** Where a running value differs from the rendered one: not in what the API server adds, or drops because it is empty. */
export function unlikeRendered(running: unknown, rendered: unknown, path: Problem["path"] = []): Difference[] {
  return differences(running, rendered, path).filter(isOurs);
}

function isOurs({ path, before, after }: Difference): boolean {
  if (before === undefined) return !isEmpty(after);
  return after !== undefined || !(isEmpty(before) || isOfServer(path, before));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && Object.keys(value ?? {}).length === 0;
}
