import { parseDuration } from "../syntax/duration";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { problem, when } from "./report";
import { valuesOf } from "./values-of";

/** Durations in Go's syntax, each in the range of its key; without one, whatever CoreDNS accepts. */
export function durationRules(description: object): Problem[] {
  return valuesOf("Duration", description).flatMap(({ path, value, formatMinimum: least, formatMaximum: most }) => {
    const duration = parseDuration(value);
    if (duration === undefined)
      return [problem(path, `${show(value)} is not a duration; accepted: 600ms, 30s, 1h30m ...`)];
    const isOutside =
      duration < (parseDuration(least ?? "") ?? 0) || duration > (parseDuration(most ?? "") ?? Infinity);
    return when(isOutside, path, `${show(value)} is out of range; accepted: ${least} to ${most}`);
  });
}
