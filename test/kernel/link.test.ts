import { afterEach, describe, expect, test } from "vitest";
import { agentConfig, runAgent } from "../../rig/kernel/agent";
import { missingForKernelTests } from "../../rig/kernel/namespace";
import { addresses, Network } from "../../rig/kernel/network";
import type { AgentConfig } from "../../src/model/agent-config/agent-config";
import { everything } from "./everything";

const { service, linkLocal } = addresses.IPv4;

// Also run in other kernels, emulated (vitest.vm.config.mts): without load.
describe.skipIf(missingForKernelTests() !== undefined)("the node's link, its addresses and rules", () => {
  let network: Network;
  afterEach(() => network.remove());

  test("is idempotent, and cleanup leaves nothing behind", async () => {
    network = await Network.create("iptables", ["IPv4", "IPv6"]);
    const before = everything(network);
    const config = agentConfig(["IPv4", "IPv6"]);
    runAgent(network, "node-setup", config);
    const after = everything(network);
    expect(JSON.parse(runAgent(network, "node-setup", config))).toMatchObject({
      linkCreated: false,
      addressesAdded: [],
    });
    expect(everything(network)).toBe(after);
    const log = runAgent(network, "cleanup", { ...config, state: "removed" }, ["--force", "--once"]);
    expect(JSON.parse(log)).toMatchObject({ removed: ["our nftables table", "our ARP rules", "link nodelocaldns"] });
    expect(everything(network)).toBe(before);
  });

  test("works on a node where kube-proxy has not started: every row, both packet filters", async () => {
    network = await Network.create("none", ["IPv4", "IPv6"]);
    const rows: Partial<AgentConfig>[] = [
      { interception: "service-ip", packetFilter: "nftables" },
      { interception: "service-ip", packetFilter: "iptables" },
      { interception: "link-local", packetFilter: "nftables" },
      { interception: "link-local", packetFilter: "iptables" },
      { interception: "link-local", kubeProxyMode: "ipvs", packetFilter: "nftables" },
      { interception: "link-local", kubeProxyMode: "ipvs", packetFilter: "iptables" },
    ];
    for (const row of rows) {
      // Each takes over from the previous one.
      runAgent(network, "node-setup", agentConfig(["IPv4", "IPv6"], row));
      // The previous table stays as long as the previous cache may need it, reduced to the rules that bypass the cache.
      const tableLeads = network.node.run("nft", ["list", "ruleset"]).includes("chain prerouting-raw");
      expect(tableLeads).toBe(row.packetFilter === "nftables");
      expect(network.node.run("iptables-nft-save", []).includes("NODE-LOCAL-DNS")).toBe(
        row.packetFilter === "iptables",
      );
      const link = network.node.ip("address show dev nodelocaldns");
      expect(link.includes(`${service}/32`)).toBe(row.interception === "service-ip");
      expect(link).toContain(`${linkLocal}/32`);
    }
  });

  test("neither takes over nor removes a link of this name that it did not create", async () => {
    network = await Network.create("iptables");
    const { node } = network;
    const config = agentConfig(["IPv4"]);
    const cleanup = () => runAgent(network, "cleanup", { ...config, state: "removed" }, ["--force", "--once"]);
    node.ip("link add nodelocaldns type veth peer name other");
    expect(() => runAgent(network, "node-setup", config)).toThrow(
      /nodelocaldns is a veth, not what this program makes/,
    );
    expect(node.run("nft", ["list", "ruleset"])).toBe("");
    cleanup();
    expect(node.ip("-brief link")).toContain("nodelocaldns");
    node.ip("link delete nodelocaldns");
    node.ip("link add nodelocaldns type bridge");
    node.ip("link set pod0 master nodelocaldns");
    expect(() => runAgent(network, "node-setup", config)).toThrow(/nodelocaldns is a bridge with the port pod0/);
    cleanup();
    expect(node.ip("-brief link")).toContain("nodelocaldns");
    expect(node.ip("-brief address show dev nodelocaldns")).not.toContain("169.254.20.10");
  });
});
