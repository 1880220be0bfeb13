import { describe, expect, onTestFailed, onTestFinished, test } from "vitest";
import { agentConfig, listenAddresses, runAgent, startWatchdog } from "../../rig/kernel/agent";
import { removeEndpoints, writeServices } from "../../rig/kernel/kube-proxy";
import { missingForKernelTests, stop, type Namespace } from "../../rig/kernel/namespace";
import { addresses, answeredBy, answersOfItself, Network, type Family } from "../../rig/kernel/network";
import { loadText } from "../../rig/load/text";
import { sleep } from "../../rig/until";
import type { AgentConfig } from "../../src/model/agent-config/agent-config";
import { expectAllAnswered, expectLostAtMost } from "../expect-lost";
import { ways } from "./ways";

const cluster = answeredBy.cluster.A;
const names = ["%.default.svc.cluster.local"];

type Row = Pick<AgentConfig, "interception" | "packetFilter"> & { readonly kubeProxyMode: "iptables" | "nftables" };

const rows = (["IPv4", "IPv6"] as const).flatMap((family) =>
  ways.map(({ name, row }) => [`${name}, ${family}`, family, row] as const),
);
const [, , usual] = rows[0] as (typeof rows)[number];

/** A node that is set up, with the cluster DNS and a cache that forwards to it past itself. */
async function node(family: Family, row: Row, kubeProxy: Row["kubeProxyMode"] | "none" = row.kubeProxyMode) {
  const network = await Network.create(kubeProxy, [family]);
  onTestFinished(() => network.remove());
  // A single SERVFAIL has many causes.
  onTestFailed(() => console.log(network.lastLines()));
  const config = agentConfig([family], { ...row, watchdog: false });
  const clusterDNS = await network.startClusterDNS();
  runAgent(network, "node-setup", config);
  const [past = ""] = config.clusterZone.servers;
  await network.startCache(listenAddresses(config), { clusterDNS: [past] });
  const server = row.interception === "service-ip" ? addresses[family].service : addresses[family].linkLocal;
  return { network, clusterDNS, server, past };
}

describe.skipIf(missingForKernelTests() !== undefined)("the cache's upstream address", () => {
  test.each(rows)("%s: the cache and the node's processes reach the cluster DNS there", async (_name, family, row) => {
    const { network, server, past } = await node(family, row);
    for (const protocol of ["udp", "tcp"] as const) {
      const fromNode = { from: network.node, protocol, rate: 100, seconds: 0.5 };
      expectAllAnswered(await network.load({ ...fromNode, server: past }), cluster);
      expectAllAnswered(await network.load({ server, names, protocol, rate: 100, seconds: 0.5 }), "10.96.0.1");
    }
  });

  const atServiceIP = rows.filter(([, , { interception }]) => interception === "service-ip");

  // With service-ip, the service IP is then the node's own, and the cache listens on it.
  test.each(rows)(
    "%s: without kube-proxy's rules for the Service, the cache gets an error and does not query itself",
    async (_name, family, row) => {
      const { network, server, past } = await node(family, row, "none");
      const overTcp = { from: network.node, server: past, protocol: "tcp", rate: 20, seconds: 0.5 } as const;
      expect(Object.keys((await network.load(overTcp)).failures)).toEqual([expect.stringContaining("ECONN")]);
      const asked = await network.load({ server, names, rate: 20, seconds: 0.5 });
      expect(asked.failures).toEqual({ SERVFAIL: asked.sent });
      // One that it remembered would stay without a translation once kube-proxy has its rules.
      expect(network.node.run("conntrack", ["-L", "-d", addresses[family].service, "-f", family.toLowerCase()])).toBe(
        "",
      );
    },
  );

  const withNft = atServiceIP.filter(([, , { packetFilter }]) => packetFilter === "nftables");

  // Its connection is to another address than the one that kube-proxy refuses.
  test.each(withNft)(
    "%s: while the cluster DNS has no endpoint, kube-proxy's refusal reaches the cache",
    async (...row) => {
      const [, family, { kubeProxyMode }] = row;
      const { network, clusterDNS, server } = await node(family, row[2]);
      await stop(clusterDNS, "SIGKILL");
      removeEndpoints(network.node, kubeProxyMode, addresses[family]);
      // Over IPv6, the kernel hears of a refusal once it tries again to open the connection, after a second.
      const timeoutMs = family === "IPv4" ? 900 : 3000;
      const asked = await network.load({ server, names, rate: 20, seconds: 0.5, timeoutMs });
      expect(asked.failures["SERVFAIL"]).toBeGreaterThan(0);
      expect(asked.failures["timeout"]).toBeUndefined();
    },
  );

  test.each(withNft)(
    "%s: a foreign NOTRACK rule for the service IP in OUTPUT does no harm",
    async (_name, family, row) => {
      const { network, past } = await node(family, row);
      const { service } = addresses[family];
      const tool = family === "IPv4" ? "iptables-legacy" : "ip6tables-legacy";
      for (const protocol of ["udp", "tcp"] as const) {
        const query = ["-d", service, "-p", protocol, "--dport", "53"];
        network.node.run(tool, ["-t", "raw", "-I", "OUTPUT", ...query, "-j", "NOTRACK"]);
        const load = { from: network.node, server: past, protocol, rate: 100, seconds: 0.5 };
        expectAllAnswered(await network.load(load), cluster);
      }
    },
  );

  const atLinkLocal = rows.filter(
    ([, , { interception, kubeProxyMode }]) => interception === "link-local" && kubeProxyMode === "iptables",
  );

  // Our rules stay for a while when a cluster file no longer has agentImage, and when it gets one.
  test.each(atLinkLocal)(
    "%s: what node-cache leads to its own listener on the service IP gets there",
    async (_name, family, row) => {
      const { network } = await node(family, row);
      const { service } = addresses[family];
      const [ip, tool] = family === "IPv4" ? ["", "iptables-legacy"] : ["-6 ", "ip6tables-legacy"];
      network.node.ip(`${ip}address add ${service} dev lo`);
      await network.startCoreDNS(network.node, [service], answersOfItself("1"));
      for (const protocol of ["udp", "tcp"] as const) {
        const query = ["-d", service, "-p", protocol, "--dport", "53"];
        network.node.run(tool, ["-t", "raw", "-I", "OUTPUT", ...query, "-j", "NOTRACK"]);
        const load = { from: network.node, server: service, protocol, rate: 100, seconds: 0.5 };
        expectAllAnswered(await network.load(load), answeredBy.cache.A);
      }
    },
  );

  const ofServices = atServiceIP.filter(([, family]) => family === "IPv4");

  test.each(ofServices)("%s: the Service is deleted and recreated with another pod", async (_name, family, row) => {
    const { network, clusterDNS, server } = await node(family, row);
    const { service, pod } = addresses[family];
    await network.startCoreDNS(network.pod, [pod], elsewhere);
    let withoutMs = 0;
    const load = await network.load({ server, names, rate: 100, timeoutMs: 1000 }, async () => {
      await sleep(1000);
      const deleted = performance.now();
      deleteServices(network.node);
      await stop(clusterDNS, "SIGTERM");
      await sleep(3000);
      writeServices(network.node, row.kubeProxyMode, [{ name: "kube-dns", ip: service, endpoint: pod }]);
      withoutMs = performance.now() - deleted;
      await sleep(3000);
    });
    console.log(`${row.packetFilter} rules, kube-proxy ${row.kubeProxyMode}, no Service for 3 s: ${loadText(load)}`);
    expect(load.lost).toBeGreaterThan(0);
    expectLostAtMost(load, { windowMs: withoutMs + 1500 });
    expectAllAnswered(await network.load({ server, names: ["later-%.cluster.local"], seconds: 1 }), "192.0.2.99");
  });

  // Pods are replaced at different times: a node is set up again while its previous cache still runs.
  const changes: readonly {
    what: string;
    before?: Partial<Row>;
    after: Partial<Row>;
    kubeProxy?: (node: Namespace) => void;
  }[] = [
    { what: "the same configuration", after: {} },
    { what: "another interception", after: { interception: "link-local" } },
    { what: "to iptables rules", after: { packetFilter: "iptables" } },
    { what: "to nftables rules", before: { packetFilter: "iptables" }, after: { packetFilter: "nftables" } },
    {
      what: "another kube-proxy mode",
      after: { kubeProxyMode: "nftables" },
      kubeProxy(own) {
        const { service, dns } = addresses.IPv4;
        writeServices(own, "nftables", [{ name: "kube-dns", ip: service, endpoint: dns }]);
        own.run("iptables-legacy", ["-t", "nat", "-F"]);
      },
    },
  ];
  test.each(changes)(
    "a cache keeps reaching the cluster DNS while its node changes, watchdog first: $what",
    async ({ before, after, kubeProxy }) => {
      const { network } = await node("IPv4", { ...usual, ...before });
      // With each of them, the link-local address leads to the cache, or bypasses it.
      const load = await network.load({ server: addresses.IPv4.linkLocal, names, rate: 200 }, async () => {
        await sleep(1000);
        const config = agentConfig(["IPv4"], { ...usual, ...before, ...after });
        runAgent(network, "node-setup", config);
        startWatchdog(network, config);
        kubeProxy?.(network.node);
        await sleep(3000);
      });
      expectAllAnswered(load, "10.96.0.1");
    },
  );
});

// Removes kube-proxy's jumps, and with them its rules; ours stay.
function deleteServices(own: Namespace): void {
  if (own.run("nft", ["list", "tables"]).includes("kube-proxy")) {
    own.run("nft", ["delete", "table", "ip", "kube-proxy"]);
    return;
  }
  own.run("iptables-legacy", ["-t", "nat", "-F", "KUBE-SERVICES"]);
}

const elsewhere = `.:53 {
    bind $LISTEN
    template IN A . {
        answer "{{ .Name }} 0 IN A 192.0.2.99"
    }
}
`;
