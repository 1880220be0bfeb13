import { readFileSync } from "node:fs";
import { iptablesBackend, type Backend } from "../../model/packet-rules/iptables/backend";
import type { Family } from "../../model/syntax/addresses";
import { CommandError, run } from "./run";

/** One of the four iptables of a node. */
export interface Tool {
  readonly family: Family;
  readonly backend: Backend;
}

export function command({ family, backend }: Tool): string {
  return `${family === "IPv4" ? "iptables" : "ip6tables"}-${backend}`;
}

export function save(tool: Tool, args: readonly string[] = []): Promise<string> {
  return runTool(tool, "save", args);
}

export async function restore(tool: Tool, text: string): Promise<void> {
  // kube-proxy waits 5 seconds for the lock as well.
  if (text !== "") await runTool(tool, "restore", ["--noflush", "-w", "5"], text);
}

/** The backend of the node's other rules; ours would do nothing in the wrong one. Fails unless it can look into all. */
export async function chooseBackend(): Promise<Backend> {
  const saved = { nft: "", legacy: "" };
  for (const tool of toolsInUse()) saved[tool.backend] += await save(tool);
  return iptablesBackend(saved);
}

// With iptables-legacy, a mere listing would make the kernel load its tables.
export function toolsInUse(): Tool[] {
  const tools = (["nft", "legacy"] as const).flatMap((backend) =>
    (["IPv4", "IPv6"] as const).map((family) => ({ family, backend })),
  );
  return tools.filter(({ family, backend }) => backend === "nft" || legacyTables(family).length > 0);
}

/** Tables of iptables-legacy that the kernel has loaded. */
export function legacyTables(family: Family): string[] {
  try {
    const names = readFileSync(`/proc/net/${family === "IPv4" ? "ip" : "ip6"}_tables_names`, "utf8");
    return names.split("\n").filter((name) => name !== "");
  } catch {
    return [];
  }
}

async function runTool(tool: Tool, action: "save" | "restore", args: readonly string[], input = ""): Promise<string> {
  try {
    return await run(`${command(tool)}-${action}`, args, input);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const why = error.stderr.includes("Permission denied")
      ? "; iptables-legacy needs the capability NET_RAW besides NET_ADMIN"
      : "";
    throw new Error(`${command(tool)}: ${error.message}${why}`, { cause: error });
  }
}
