import { formatProblem, type LocatedProblem } from "../config/located-problem";
import { suggest } from "../model/syntax/suggest";
import { UsageError } from "./command";
import { type Formatted, lines, print, printError, printFormatted } from "./print";

/** What a command found. docs/reading.md documents it as JSON. */
export interface Outcome<Result> {
  readonly problems: readonly LocatedProblem[];
  readonly notes?: readonly LocatedProblem[];
  /** Undefined if problems are in its way. */
  readonly result?: Result | undefined;
}

export function choiceOf<Choice extends string>(name: string, given: string, accepted: readonly Choice[]): Choice {
  const choice = accepted.find((each) => each === given);
  if (choice !== undefined) return choice;
  throw new UsageError(`--${name} ${given} is not one of ${accepted.join(", ")}${suggest(given, accepted)}`);
}

export function printsJson({ format }: { readonly format: string }): boolean {
  return choiceOf("format", format, ["text", "json"]) === "json";
}

/** Prints an outcome, and returns the exit code: problems go to standard error, in JSON everything to standard output. */
export function report<Result>(
  { problems, notes = [], result }: Outcome<Result>,
  isJson: boolean,
  asText: (result: Result) => string | Formatted,
): number {
  if (isJson) {
    const outcome = { problems: problems.map(flat), notes: notes.map(flat), result: result ?? null };
    print(`${JSON.stringify(outcome, null, 2)}\n`);
  } else {
    const text = result === undefined ? "" : asText(result);
    if (typeof text === "string") print(text);
    else printFormatted(text);
    printError(lines(problems.map(formatProblem)));
  }
  return problems.length > 0 ? 1 : 0;
}

/** Line and column beside the file, as tools expect them. */
function flat({ file, position, message, isWarning }: LocatedProblem): object {
  return { file, ...position, message, isWarning };
}
