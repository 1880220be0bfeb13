import { describe, expect, onTestFinished, test } from "vitest";
import { missingForKernelTests, type Namespace } from "../../rig/kernel/namespace";
import { addresses, answeredBy, type Family } from "../../rig/kernel/network";
import { Scenario } from "../../rig/kernel/scenario";
import { until } from "../../rig/until";
import { expectAllAnswered } from "../expect-lost";

const settings = (["nftables", "iptables"] as const).flatMap((packetFilter) =>
  (["IPv4", "IPv6"] as const).map((family) => [packetFilter, family] as const),
);

describe.skipIf(missingForKernelTests() !== undefined)("the addresses on the node's link", () => {
  test.each(settings)("%s rules, %s: others can reach only DNS there", async (packetFilter, family) => {
    const { network, own } = await node(family, packetFilter);
    const { node: nodeAddress, service } = addresses[family];
    startHostPort(network.node);
    await until("the host port", 30, async () => connects(network.pod, nodeAddress, 5), 50);
    for (const address of own) {
      expect([address, connects(network.pod, address, 1)]).toEqual([address, false]);
      expect([address, connects(network.node, address, 30)]).toEqual([address, true]);
    }
    for (const protocol of ["udp", "tcp"] as const) {
      const load = { server: service, protocol, rate: 100, seconds: 0.5 };
      expectAllAnswered(await network.load(load), answeredBy.cache.A);
    }
  });

  test.each(["nftables", "iptables"] as const)("%s rules: neighbours cannot find them by ARP", async (packetFilter) => {
    const { network, own } = await node("IPv4", packetFilter);
    const { dns: neighbour } = network;
    const { dnsGateway } = addresses.IPv4;
    for (const address of own) neighbour.ip(`route add ${address}/32 dev eth0 scope link`);
    for (const address of [dnsGateway, ...own]) {
      neighbour.run("bash", ["-c", `echo > /dev/udp/${address}/5300`]);
      const entry = () => neighbour.ip(`neigh show ${address} dev eth0`).trim();
      await until(`the ARP entry of ${address}`, 30, async () => /lladdr|FAILED/.test(entry()), 100);
      expect([address, entry().includes("lladdr")]).toEqual([address, address === dnsGateway]);
    }
  });

  test.each(["nftables", "iptables"] as const)(
    "%s rules: answers a pod that the node has to find by ARP first",
    async (packetFilter) => {
      const { network } = await node("IPv4", packetFilter);
      const { service } = addresses.IPv4;
      const ask = (...from: string[]) =>
        network.pod.run("dig", [...from, `@${service}`, "+short", "+tries=1", "+time=10", "first.load.test"]).trim();
      // The pod now knows the node, but the node has no ARP entry for the pod's second address.
      expect(ask()).toBe(answeredBy.cache.A);
      network.pod.ip("address add 10.244.1.9/24 dev eth0");
      expect(ask("-b", "10.244.1.9")).toBe(answeredBy.cache.A);
    },
  );
});

async function node(family: Family, packetFilter: "nftables" | "iptables") {
  const { network } = await Scenario.create({ family, packetFilter, watchdog: false });
  onTestFinished(() => network.remove());
  const link = JSON.parse(network.node.ip("-json address show dev nodelocaldns scope global")) as {
    addr_info: { local?: string }[];
  }[];
  const own = link.flatMap(({ addr_info }) => addr_info.flatMap(({ local }) => local ?? []));
  expect(own).toContain(addresses[family].service);
  return { network, own };
}

function startHostPort(place: Namespace): void {
  const program = 'require("net").createServer((socket) => socket.end()).listen({ host: "::", port: 8080 })';
  place.start([process.execPath, "-e", program]);
}

function connects(place: Namespace, address: string, seconds: number): boolean {
  try {
    place.run("timeout", [String(seconds), "bash", "-c", `exec 3<> /dev/tcp/${address}/8080`]);
    return true;
  } catch {
    return false;
  }
}
