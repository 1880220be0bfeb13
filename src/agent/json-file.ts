import { readFileSync } from "node:fs";
import { errorCode, errorMessage } from "./errors";

/**
 * A program's configuration, from the ConfigMap that the constructs wrote.
 * @throws Error that says why it cannot be read.
 */
export function readJsonFile(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(
      `${path}: cannot be read (${errorCode(error)}); mount the program's ConfigMap there or name the file with --config`,
      { cause: error },
    );
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path}: is not JSON: ${errorMessage(error)}`, { cause: error });
  }
}
