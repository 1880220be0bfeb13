import type { AgentConfig } from "../../model/agent-config/agent-config";
import type { Logger } from "../log";
export async function runWatchdog(_config: AgentConfig, _log: Logger): Promise<void> {}
