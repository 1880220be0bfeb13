import { describe, expect, onTestFinished, test } from "vitest";
import { agentConfig, listenAddresses, runAgent } from "../../rig/kernel/agent";
import { missingForKernelTests, stop, type Namespace } from "../../rig/kernel/namespace";
import { addresses, answeredBy, Network, type Family } from "../../rig/kernel/network";
import type { AgentConfig } from "../../src/model/agent-config/agent-config";
import { expectAllAnswered, expectMostAnswered } from "../expect-lost";

type Row = Pick<AgentConfig, "interception" | "packetFilter" | "kubeProxyMode">;

const filters = ["nftables", "iptables"] as const;
const rows: readonly (readonly [Row, Family])[] = [
  ...filters.flatMap((packetFilter) =>
    (["iptables", "nftables"] as const).map(
      (kubeProxyMode) => [{ kubeProxyMode, interception: "service-ip", packetFilter }, "IPv4"] as const,
    ),
  ),
  [{ kubeProxyMode: "iptables", interception: "link-local", packetFilter: "nftables" }, "IPv4"],
  [{ kubeProxyMode: "iptables", interception: "link-local", packetFilter: "iptables" }, "IPv4"],
  [{ kubeProxyMode: "nftables", interception: "link-local", packetFilter: "nftables" }, "IPv6"],
  ...filters.map(
    (packetFilter) => [{ kubeProxyMode: "ipvs", interception: "link-local", packetFilter }, "IPv4"] as const,
  ),
];

// KEP-1024: the rules' purpose is that requests for names use no entries of conntrack.
describe.skipIf(missingForKernelTests() !== undefined)("entries of conntrack for a pod's queries", () => {
  test.each(rows)("%o, %s: none through the cache, one for each past it", async (row, family) => {
    const { service, linkLocal, dns } = addresses[family];
    const { kubeProxyMode } = row;
    const isIpvs = kubeProxyMode === "ipvs";
    const network = await Network.create(isIpvs ? "none" : kubeProxyMode, [family]);
    onTestFinished(() => network.remove());
    // Not every kernel has IPVS: here the service IP is an address of whichever server answers for it.
    if (isIpvs) {
      network.dns.ip(`address add ${service}/32 dev lo`);
      network.node.ip(`route add ${service}/32 via ${dns}`);
    }
    await network.startClusterDNS(isIpvs ? [service] : undefined);
    const config = agentConfig([family], { ...row, watchdog: false });
    runAgent(network, "node-setup", config);
    const cache = await network.startCache(listenAddresses(config), { clusterDNS: config.clusterZone.servers });
    const server = row.interception === "service-ip" ? service : linkLocal;

    const counted = async (by: "cache" | "cluster") => {
      const figures = [];
      for (const protocol of ["udp", "tcp"] as const) {
        forget(network.node);
        const load = await network.load({ server, protocol, rate: 100, seconds: 0.5 });
        (by === "cache" ? expectMostAnswered : expectAllAnswered)(load, answeredBy[by].A);
        const past = load.answers[answeredBy.cluster.A] ?? 0;
        figures.push({ protocol, sent: load.sent, past, entries: entries(network.node, family, protocol) });
      }
      return figures;
    };
    const through = await counted("cache");
    await stop(cache, "SIGKILL");
    const past = await counted("cluster");
    const told = (figures: typeof through) =>
      figures.map(({ protocol, sent, entries: n }) => `${n} for ${sent} over ${protocol}`).join(", ");
    console.log(`${Object.values(row).join(", ")}, ${family}: ${told(through)}; past it ${told(past)}`);
    // A cache that stands still for a tenth of a second is passed.
    for (const each of through) expect(each.entries).toBeLessThanOrEqual(each.past);
    // A query may come from a port that one had before it.
    for (const { sent, entries: n } of past) expect(n).toBeGreaterThan(sent / 2);
  });
});

function forget(node: Namespace): void {
  node.run("conntrack", ["--flush"]);
}

/** Those of queries that the pod sent. */
function entries(node: Namespace, family: Family, protocol: "udp" | "tcp"): number {
  const of = ["--family", family === "IPv4" ? "ipv4" : "ipv6", "--proto", protocol];
  const listed = node.run("conntrack", ["--dump", ...of, "--orig-src", addresses[family].pod]);
  return listed.split("\n").filter((line) => line.includes(" dport=53 ")).length;
}
