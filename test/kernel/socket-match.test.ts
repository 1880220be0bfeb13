import { describe, expect, onTestFinished, test } from "vitest";
import { agentConfig, listenAddresses, runAgent } from "../../rig/kernel/agent";
import { missingForKernelTests, stop } from "../../rig/kernel/namespace";
import { addresses, answeredBy, Network, type Family } from "../../rig/kernel/network";
import { sleep } from "../../rig/until";
import { expectAllAnswered, expectLostAtMost } from "../expect-lost";
import { ways } from "./ways";

const cache = answeredBy.cache.A;
const cluster = answeredBy.cluster.A;

// Rules for iptables cannot lead past kube-proxy's of nftables.
const impossible = "link-local, kube-proxy nftables, iptables rules";
const rows = ways.filter(({ name }) => name !== impossible);

// Without the watchdog: what the kernel does by itself.
describe.skipIf(missingForKernelTests() !== undefined).each(rows)("$name: the cache is SIGKILLed", ({ row }) => {
  const cases = (["IPv4", "IPv6"] as const).flatMap((family) => [
    { title: `${family}, UDP`, family, load: {} },
    { title: `${family}, TCP`, family, load: { protocol: "tcp" as const } },
    { title: `${family}, UDP from one port`, family, load: { sourcePort: 5353 } },
  ]);
  test.each(cases)("$title", async ({ family, load }) => {
    const families: Family[] = [family];
    const network = await Network.create(row.kubeProxyMode, families);
    onTestFinished(() => network.remove());
    const config = agentConfig(families, { ...row, watchdog: false });
    await network.startClusterDNS();
    runAgent(network, "node-setup", config);
    const server = config.interception === "service-ip" ? addresses[family].service : addresses[family].linkLocal;

    expectAllAnswered(await network.load({ server, seconds: 0.3, ...load }), cluster);

    const first = await network.startCache(listenAddresses(config));
    let ended = 0;
    const report = await network.load({ server, ...load }, async () => {
      await sleep(900);
      ended = await stop(first, "SIGKILL");
      await sleep(600);
      await network.startCache(listenAddresses(config));
      await sleep(900);
    });
    const { sent, answers } = report;
    expect(answers[cache]).toBeGreaterThan(sent / 4);
    expect(answers[cluster]).toBeGreaterThan(sent / 10);
    // The kernel delivers packets to a process until it has torn it down: 10 ms, or as long as that took on a busy
    // machine.
    const limit = Math.max(10, ended + 5);
    // With iptables, TCP queries under way with the cluster DNS are reset at the moment the cache comes back.
    const atReturn = "protocol" in load && config.packetFilter === "iptables" ? 5 : 0;
    expectLostAtMost(report, { longestMs: limit, lost: limit / 2 + atReturn });
  });
});
