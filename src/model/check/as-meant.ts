import { grouped } from "../syntax/grouped";
import type { Problem } from "../syntax/problem";
import { shapeProblems, type ShapeProblem } from "../syntax/shape";
import { show } from "../syntax/show";
import validate = require("./validate");
import { whatToWrite } from "./what-to-write";

/** A description, and what is wrong with its shape. */
interface Meant {
  /** With what was meant in place of misspelt keys and values: otherwise rules would miss what is there. */
  readonly meant: unknown;
  /** Without what has a wrong shape all the same. */
  readonly shaped: unknown;
  readonly problems: readonly Problem[];
  /** A problem of what was meant, at the key as it is written. */
  readonly atWrittenKey: (problem: Problem) => Problem;
}

export function readAsMeant(description: unknown): Meant {
  const misshapen = shapeProblems(validate, description, show, whatToWrite);
  const changed = misshapen.filter(({ meant, instead }) => meant !== undefined || instead !== undefined);
  const meant = asMeant(description, changed);
  const still = misshapen.length === 0 ? [] : shapeProblems(validate, meant, show, whatToWrite);
  const atWrittenKey = underWrittenKeys(changed);
  // Of a key without a space after its colon, the value is in the key.
  const isSaid = (path: Problem["path"], { meant: key, path: { length } }: ShapeProblem) =>
    path.length > length || (key !== undefined && held(description, path) !== null);
  const changedAt = new Map(grouped(changed, ({ path }) => JSON.stringify(path)));
  const below = still
    .map(atWrittenKey)
    .filter(({ path }) => placesTo(path).some((place) => changedAt.get(place)?.some((each) => isSaid(path, each))));
  return {
    meant,
    // A list that is too long or too short stays: its entries may be wrong as well, and others need that it is there.
    shaped: without(
      meant,
      still.filter(({ isCount }) => !isCount),
    ),
    problems: [...misshapen, ...below].map(atWrittenKey),
    atWrittenKey,
  };
}

/** What is at a path of a description, whatever its shape. */
export function held(description: unknown, path: Problem["path"]): unknown {
  return path.reduce<unknown>((value, step) => (Object(value) as { [key: string]: unknown })[step], description);
}

/** A problem of a misspelt key's value, at the key as it is written: of two for one key, at the first. */
function underWrittenKeys(changed: readonly ShapeProblem[]): (problem: Problem) => Problem {
  const misspelt = changed.flatMap(({ path, meant }) =>
    meant === undefined ? [] : [[JSON.stringify([...path.slice(0, -1), meant]), path] as const],
  );
  const writtenAs = new Map(misspelt.toReversed());
  return ({ path, at, within, message }) => {
    const written = writtenAs.get(placesTo(path).find((place) => writtenAs.has(place)) ?? "") ?? [];
    return { path: [...written, ...path.slice(written.length)], at, ...(within && { within }), message };
  };
}

/** A path, and those that lead there, from the first. */
function placesTo(path: Problem["path"]): string[] {
  return [...path.keys(), path.length].map((length) => JSON.stringify(path.slice(0, length)));
}

/** Without the values that the problems are about. A list with a wrong entry is dropped, so that no index shifts. */
export function without(value: unknown, problems: readonly Pick<Problem, "path">[]): unknown {
  return asMeant(
    value,
    problems.map(({ path }) => ({ path })),
  );
}

/** The same copy, with what was meant in place of values and keys for which that is clear. */
function asMeant(value: unknown, problems: readonly Pick<ShapeProblem, "path" | "meant" | "instead">[]): unknown {
  if (problems.length === 0) return value;
  const itself = problems.find(({ path }) => path.length === 0);
  if (itself) return itself.instead;
  if (typeof value !== "object" || value === null) return undefined;
  const below = new Map(grouped(problems, ({ path: [key] }) => String(key)));
  const kept = Object.entries(value).map(([key, child]) => {
    const about = below.get(key)?.map((problem) => ({ ...problem, path: problem.path.slice(1) })) ?? [];
    const renamed = about.find(({ path }) => path.length === 0)?.meant;
    return renamed === undefined ? ([key, asMeant(child, about)] as const) : ([renamed, child] as const);
  });
  if (Array.isArray(value)) {
    const entries = kept.map(([, child]) => child);
    return entries.includes(undefined) ? undefined : entries;
  }
  return Object.fromEntries(kept.filter(([key, child]) => child !== undefined || !below.has(key)));
}
