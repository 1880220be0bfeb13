import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { agentConfig, runAgent, startAgent } from "../../rig/kernel/agent";
import { missingForKernelTests } from "../../rig/kernel/namespace";
import { Network } from "../../rig/kernel/network";
import { everything } from "./everything";

// On a new node, node-setup and the watchdog write at once, and neither waits for the other.
describe.skipIf(missingForKernelTests() !== undefined)("programs that write the same rules at once", () => {
  let network: Network;
  afterEach(() => network.remove());

  test.each(["iptables", "nftables"] as const)("all succeed, and each rule is there once: %s", async (packetFilter) => {
    network = await Network.create("iptables");
    const config = agentConfig(["IPv4"], { packetFilter });
    runAgent(network, "node-setup", config);
    const expected = everything(network);
    for (let round = 0; round < 2; round++) {
      runAgent(network, "cleanup", { ...config, state: "removed" }, ["--force", "--once"]);
      const ended = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const { process, log } = startAgent(network, "node-setup", config);
          const [code] = (await once(process, "close")) as [number];
          return { code, log: log() };
        }),
      );
      expect(ended.filter(({ code }) => code !== 0)).toEqual([]);
      expect(everything(network)).toBe(expected);
    }
  });
});
