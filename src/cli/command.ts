import { parseArgs, type ParseArgsConfig } from "node:util";
import { suggest } from "../model/syntax/suggest";
import { print, printError } from "./print";
import { inSentence, listClusterFiles } from "../config/list-cluster-files";

type Taken = NonNullable<ParseArgsConfig["options"]>;

export type Given<Options extends Taken> = ReturnType<typeof parseArgs<{ options: Options }>>["values"];

/** A command of `cdk8s-cluster-dns`, in its own file, loaded only when it runs. */
export interface Command<Options extends Taken = Taken> {
  readonly help: string;
  readonly options: Options;
  /** Whether its names are those of cluster files, which shells complete. */
  readonly namesClusters: boolean;
  /** Returns the exit code: 0, or 1 if the user's input is wrong. */
  run(options: Given<Options>, names: readonly string[]): number | Promise<number>;
}

export type Commands = { readonly [name: string]: () => Promise<{ readonly command: Command }> };

/** A command whose options have the types that it says. */
export function commandWith<const Options extends Taken>(command: Command<Options>): Command<Options> {
  return command;
}

/** Options of several commands, with their defaults. */
const usualOptions = {
  clusters: { type: "string", default: "clusters" },
  out: { type: "string", default: "dist" },
  context: { type: "string" },
  format: { type: "string", default: "text" },
} as const;

export function taking<Name extends keyof typeof usualOptions>(...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, usualOptions[name]])) as Pick<typeof usualOptions, Name>;
}

/** The command line itself is wrong: exit code 2. */
export class UsageError extends Error {}

export function runCommand(name: string, command: Command, args: readonly string[]): number | Promise<number> {
  const told = (error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    printError(`cdk8s-cluster-dns ${name}: ${error.message}\n`);
    return 2;
  };
  try {
    const { options, names } = parseArguments(args, command.options);
    if (options.help === true) {
      print(command.help);
      return 0;
    }
    // Such as from a variable that is not set.
    for (const folder of ["clusters", "out", "nodes"])
      if (options[folder] === "") throw new UsageError(`--${folder} needs a folder, but got ""`);
    const exitCode = command.run(options, names);
    return typeof exitCode === "number" ? exitCode : exitCode.catch(told);
  } catch (error) {
    return told(error);
  }
}

function parseArguments(args: readonly string[], options: Taken) {
  const all: Taken = { ...options, help: { type: "boolean", short: "h" } };
  try {
    const parsed = parseArgs({ args: [...args], options: all, allowPositionals: true, tokens: true });
    refuseRepeated(parsed.tokens.flatMap((token) => (token.kind === "option" ? [token] : [])));
    return { options: parsed.values, names: parsed.positionals };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(explain(error, Object.keys(all)));
  }
}

/** Only the last of several values would count. */
function refuseRepeated(options: readonly { readonly name: string; readonly value: string | undefined }[]): void {
  const values = new Map<string, string>();
  for (const { name, value } of options) {
    if (value === undefined) continue;
    const first = values.get(name);
    if (first !== undefined)
      throw new UsageError(`--${name}: given twice, as "${first}" and "${value}"; it takes one value`);
    values.set(name, value);
  }
}

function explain(error: unknown, options: readonly string[]): string {
  if (!(error instanceof TypeError && "code" in error)) throw error;
  if (error.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") return error.message;
  const got = /'(-[^']*)'/.exec(error.message)?.[1] ?? "";
  const accepted = options.map((option) => `--${option}`);
  return `unknown option ${got}${suggest(got, accepted) || `; accepted: ${accepted.join(", ")}`}`;
}

/** @throws UsageError if the command line names no cluster, or several. */
export function oneCluster(names: readonly string[], folder: string): string {
  const [name, ...more] = names;
  if (name !== undefined && more.length === 0) return name;
  const listed = listClusterFiles(folder);
  const known = "problem" in listed ? "" : `; ${folder} has ${inSentence(listed.files.map((file) => file.name))}`;
  throw new UsageError(`takes one cluster, but got ${names.length}${known}`);
}
