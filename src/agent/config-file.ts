import { readFileSync } from "node:fs";
import type { AgentConfig } from "../model/agent-config/agent-config";
import { checkAgentConfig } from "../model/agent-config/check";
import { formatPath } from "../model/syntax/problem";

/** @throws Error with every problem of the file and where it is. */
export function readAgentConfig(path: string): AgentConfig {
  const checked = checkAgentConfig(parse(path));
  if (checked.problems === undefined) return checked.config;
  const lines = checked.problems.map(
    (problem) => `${path}: ${formatPath(problem.path) || "the file"}: ${problem.message}`,
  );
  throw new Error(lines.join("\n"));
}

function parse(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(
      `${path}: cannot be read (${(error as NodeJS.ErrnoException).code}); mount the agent's ConfigMap there or name the file with --config`,
      { cause: error },
    );
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path}: is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
