import type { AgentConfig } from "../model/agent-config/agent-config";
import { checkAgentConfig } from "../model/agent-config/check";
import { formatPath } from "../model/syntax/problem";
import { readJsonFile } from "./json-file";

/** @throws Error with every problem of the file and where it is. */
export function readAgentConfig(path: string): AgentConfig {
  const checked = checkAgentConfig(readJsonFile(path));
  if (checked.problems === undefined) return checked.config;
  const lines = checked.problems.map(
    (problem) => `${path}: ${formatPath(problem.path) || "the file"}: ${problem.message}`,
  );
  throw new Error(lines.join("\n"));
}
