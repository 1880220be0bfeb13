import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { agentConfig, runAgent } from "../../rig/kernel/agent";
import { missingForKernelTests } from "../../rig/kernel/namespace";
import { Network } from "../../rig/kernel/network";
import type { AgentConfig } from "../../src/model/agent-config/agent-config";
import { renderIptablesRemoval } from "../../src/model/packet-rules/iptables/render";
import { renderNftRemoval } from "../../src/model/packet-rules/nft/render";
import { everything } from "./everything";
import { tools } from "./tools";

test.skipIf(missingForKernelTests() !== undefined).each(["nftables", "iptables"] as const)(
  "node-setup: killed before or after any of its commands and run again, it ends up as if never killed, %s",
  async (packetFilter) => {
    const network = await Network.create("iptables");
    onTestFinished(() => network.remove());
    const config = agentConfig(["IPv4"], { packetFilter });
    runAgent(network, "node-setup", config);
    const whole = everything(network);
    let killed = 0;
    for (let command = 1; ; command++) {
      remove(network);
      // Each tool counts its runs, and kills the agent before or after the one whose turn it is.
      const path = tools(network, Object.fromEntries(writers.map((tool) => [tool, killer(network, command)])));
      const ended = runToEnd(network, config, path);
      runAgent(network, "node-setup", config);
      expect(everything(network)).toBe(whole);
      if (!ended) break;
      killed++;
    }
    expect(killed).toBeGreaterThan(5);
  },
);

/** What cleanup removes, without the seconds in which cleanup looks whether something comes back. */
function remove({ node }: Network): void {
  node.run("nft", ["-f", "-"], renderNftRemoval());
  for (const tool of ["iptables-legacy", "ip6tables-legacy"])
    node.run(`${tool}-restore`, ["--noflush"], renderIptablesRemoval(node.run(`${tool}-save`, [])));
  node.ip("link delete nodelocaldns");
}

const writers = "ip nft iptables-legacy-restore iptables-nft-restore iptables-legacy-save iptables-nft-save".split(" ");

// Odd turns: before the command. Even turns: after it.
function killer(network: Network, turn: number): string {
  const count = join(network.folder, `count-${turn}`);
  return [
    `echo x >>${count}`,
    `if [ $(wc -l <${count}) -eq ${Math.ceil(turn / 2)} ]; then`,
    turn % 2 === 1 ? "kill -9 $PPID; exit 1" : 'real "$@"; kill -9 $PPID; exit 1',
    "fi",
  ].join("\n");
}

/** @returns Whether it was killed before it finished. */
function runToEnd(network: Network, config: AgentConfig, path: string): boolean {
  try {
    runAgent(network, "node-setup", config, [], { PATH: path });
    return false;
  } catch (error) {
    if ((error as { signal?: string }).signal !== "SIGKILL" && (error as { status?: number }).status !== 137)
      throw error;
    return true;
  }
}
