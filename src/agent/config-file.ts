import { readFileSync } from "node:fs";
import { formatPath } from "../model/syntax/problem";
import { shapeProblems, type Validator } from "../model/syntax/shape";
import { errorCode, errorMessage } from "./errors";

/** Reads a program's configuration. @throws Error that lists everything wrong with the file, and where. */
export function readConfig<Config>(path: string, validate: Validator): Config {
  const value = parse(path, read(path));
  const problems = shapeProblems(validate, value);
  if (problems.length === 0) return value as Config;
  const lines = problems.map((problem) => `${path}: ${formatPath(problem.path) || "the file"}: ${problem.message}`);
  throw new Error([...lines, "use the image that matches the manifests"].join("\n"));
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(
      `${path}: cannot be read (${errorCode(error)}); mount the program's ConfigMap there, or name the file with --config`,
      { cause: error },
    );
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path}: is not JSON: ${errorMessage(error)}`, { cause: error });
  }
}
