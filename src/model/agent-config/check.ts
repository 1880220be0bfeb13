import type { Problem } from "../syntax/problem";
import { shapeProblems } from "../syntax/shape";
import type { AgentConfig } from "./agent-config";
import validate = require("./validate");

export type CheckedAgentConfig =
  | { readonly config: AgentConfig; readonly problems?: undefined }
  | { readonly problems: readonly Problem[] };

/** A parsed ConfigMap as configuration, or everything that is wrong with it. */
export function checkAgentConfig(value: unknown): CheckedAgentConfig {
  const problems = shapeProblems(validate, value);
  return problems.length > 0 ? { problems } : { config: value as AgentConfig };
}
