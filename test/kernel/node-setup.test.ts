import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { agentConfig, agentProgram, listenAddresses, runAgent, startWatchdog } from "../../rig/kernel/agent";
import { ready } from "../../rig/kernel/metrics";
import { missingForKernelTests, stop } from "../../rig/kernel/namespace";
import { installNodeCache } from "../../rig/kernel/node-cache";
import { addresses, answeredBy, Network } from "../../rig/kernel/network";
import { sleep, until } from "../../rig/until";
import type { AgentConfig } from "../../src/model/agent-config/agent-config";
import { expectAllAnswered, expectLostAtMost, expectMostAnswered, expectNothingLost } from "../expect-lost";
import { everything } from "./everything";
import { tools } from "./tools";

const cache = answeredBy.cache.A;
const cluster = answeredBy.cluster.A;
const { service, linkLocal } = addresses.IPv4;

describe.skipIf(missingForKernelTests() !== undefined)("node-setup and cleanup", () => {
  let network: Network;
  afterEach(() => network.remove());

  test("takes over node-cache's own link and rules without losing a query", async () => {
    network = await Network.create("iptables");
    await network.startClusterDNS();
    installNodeCache(network);
    const foreign = `INPUT -d ${service}/32 -p udp -m udp --dport 5353 -j REJECT`;
    network.node.run("iptables-legacy", ["-A", ...foreign.split(" ")]);
    await network.startCache([linkLocal, service]);
    const load = await network.load({ server: service }, async () => {
      await sleep(1000);
      runAgent(network, "node-setup", agentConfig(["IPv4"]));
      await sleep(1000);
    });
    expectNothingLost(load);
    expect(network.node.run("iptables-legacy-save", [])).not.toContain("NOTRACK");
    // A foreign rule that only looks similar stays.
    expect(network.node.run("iptables-legacy-save", ["-t", "filter"])).toContain(`-A ${foreign}`);
  });

  test("removes node-cache's rules with its container's rights, so that a dead cache loses nothing", async () => {
    network = await Network.create("iptables");
    await network.startClusterDNS();
    installNodeCache(network);
    const config = agentConfig(["IPv4"]);
    expect(runConfined(network, "+net_admin,+net_raw", config)).toContain("took over");
    const cacheProcess = await network.startCache(listenAddresses(config));
    const load = await network.load({ server: service, rate: 200 }, async () => {
      await sleep(500);
      await stop(cacheProcess, "SIGKILL");
      await sleep(2000);
    });
    expect(load.answers[cluster]).toBeGreaterThan(50);
    // Of some 400 that come after it.
    expectLostAtMost(load, { lost: 100 });
  });

  test.each(["iptables", "nftables"] as const)(
    "ipvs: queries that no socket accepts are sent to the service IP, %s",
    async (packetFilter) => {
      // Not every kernel has IPVS: here the service IP is an address of whichever server answers for it.
      network = await Network.create("none");
      network.dns.ip(`address add ${service}/32 dev lo`);
      network.node.ip(`route add ${service}/32 via ${addresses.IPv4.dns}`);
      await network.startClusterDNS([service]);
      const config = agentConfig(["IPv4"], {
        interception: "link-local",
        kubeProxyMode: "ipvs",
        packetFilter,
        watchdog: false,
      });
      runAgent(network, "node-setup", config);
      // A fixed port: NAT must not pin the flow to the server that answered first.
      const load = await network.load({ server: linkLocal, sourcePort: 5353 }, async () => {
        await sleep(1000);
        const first = await network.startCache(listenAddresses(config));
        await sleep(1200);
        await stop(first, "SIGKILL");
        await sleep(1500);
      });
      expect(load.answers[cluster]).toBeGreaterThan(100);
      expect(load.answers[cache]).toBeGreaterThan(100);
      // What lay unread in the killed cache's socket: a machine's pause. Were the socket not asked for each packet, 750 would be.
      expectLostAtMost(load, { lost: 200 });
    },
  );

  test("draining: translates for pods at the link-local address; cleanup refuses while they send queries", async () => {
    network = await Network.create("nftables");
    await network.startClusterDNS();
    runAgent(
      network,
      "node-setup",
      agentConfig(["IPv4"], { kubeProxyMode: "nftables", interception: "link-local", state: "draining" }),
    );
    for (const protocol of ["udp", "tcp"] as const)
      expectAllAnswered(await network.load({ server: linkLocal, seconds: 0.5, protocol }), cluster);
    expectAllAnswered(await network.load({ server: linkLocal, seconds: 0.5, from: network.node }), cluster);

    const removed = agentConfig(["IPv4"], { kubeProxyMode: "nftables", interception: "link-local", state: "removed" });
    const asking = await network.load({ server: linkLocal, rate: 10 }, async () => {
      expect(() => runAgent(network, "cleanup", removed, ["--once", "--watch-seconds", "1"])).toThrow(
        /169\.254\.20\.10 got \d+ packets in the last 1 seconds; restart the pods/,
      );
    });
    expectNothingLost(asking);

    // Commands that fail now and then, as on a busy node, cost no day of watching: here what leads past the cache, each
    // reading of the counters, and what removes, twice.
    const busy = mkdtempSync(join(tmpdir(), "busy-"));
    const whereIs = (command: string) =>
      execFileSync("sh", ["-c", `command -v ${command}`], { encoding: "utf8" }).trim();
    const calls = join(busy, "calls");
    writeFileSync(
      join(busy, "nft"),
      `#!/bin/sh\necho >> ${calls}\ncase $(wc -l < ${calls}) in 1 | 2 | 5 | 8) echo busy >&2; exit 1 ;; esac\nexec ${whereIs("nft")} "$@"\n`,
    );
    const failed = join(busy, "failed");
    writeFileSync(
      join(busy, "ip"),
      `#!/bin/sh\nif [ "$2" = delete ] && mkdir ${failed}; then echo busy >&2; exit 1; fi\nexec ${whereIs("ip")} "$@"\n`,
    );
    for (const command of ["nft", "ip"]) chmodSync(join(busy, command), 0o755);
    const PATH = `${busy}:${process.env["PATH"]}`;
    const log = runAgent(network, "cleanup", removed, ["--once", "--watch-seconds", "1"], { PATH });
    rmSync(busy, { recursive: true });
    expect(log.match(/tries again: .*busy/g)).toHaveLength(4);
    expect(log).toMatch(/"removed":\["our nftables table",.*"link nodelocaldns"\]/);
  });

  // Each packet is tracked by table raw, and led by table nat, which are written one after the other.
  test("draining, iptables rules: no flow stays with a cache that is about to go", async () => {
    network = await Network.create("iptables", ["IPv4"], "nft");
    await network.startClusterDNS();
    const config = agentConfig(["IPv4"], { packetFilter: "iptables", interception: "link-local", watchdog: false });
    let refused = 0;
    for (let round = 0; round < 5; round++) {
      runAgent(network, "node-setup", config);
      const cacheProcess = await network.startCache(listenAddresses(config));
      const load = await network.load({ server: linkLocal, rate: 3000 }, async () => {
        await sleep(300);
        runAgent(network, "node-setup", { ...config, state: "draining" });
        await sleep(500);
        await stop(cacheProcess, "SIGTERM");
        await sleep(200);
      });
      expect(load.answers[cache]).toBeGreaterThan(100);
      expect(load.answers[cluster]).toBeGreaterThan(100);
      refused += load.failures["recvmsg ECONNREFUSED"] ?? 0;
    }
    // Before table nat was written first, about four in each round.
    expect(refused).toBe(0);
  });

  test.each(["nftables", "iptables"] as const)(
    "removed, %s rules: nothing is sent to a cache that is about to go",
    async (packetFilter) => {
      network = await Network.create("iptables");
      await network.startClusterDNS();
      const config = agentConfig(["IPv4"], { packetFilter, watchdog: false });
      runAgent(network, "node-setup", config);
      await network.startCache(listenAddresses(config));
      const load = await network.load({ server: service }, async () => {
        await sleep(500);
        runAgent(network, "cleanup", { ...config, state: "removed" }, ["--once", "--watch-seconds", "2"]);
      });
      expect(load.answers[cache]).toBeGreaterThan(20);
      expect(load.answers[cluster]).toBeGreaterThan(100);
      expectNothingLost(load);
    },
  );

  test.each([
    ["service-ip", "iptables"],
    ["link-local", "iptables"],
    ["service-ip", "nftables"],
  ] as const)(
    "removed, %s, %s rules: cleanup refuses while one flow asks at the link-local address",
    async (...row) => {
      const [interception, packetFilter] = row;
      network = await Network.create("iptables");
      await network.startClusterDNS();
      const config = agentConfig(["IPv4"], { interception, packetFilter, watchdog: false });
      runAgent(network, "node-setup", config);
      await network.startCache(listenAddresses(config));
      const cleanup = () =>
        runAgent(network, "cleanup", { ...config, state: "removed" }, ["--once", "--watch-seconds", "1"]);
      await network.load({ server: linkLocal, rate: 20, sourcePort: 5353 }, async () => {
        await sleep(500);
        expect(cleanup).toThrow(/169\.254\.20\.10 got \d+ packets in the last 1 seconds/);
      });
      expect(cleanup()).toContain("link nodelocaldns");
    },
  );

  // iptables-nft cannot list a chain with such a rule, and neither finds nor deletes what comes after it.
  test.each(["add", "insert"])(
    "beside rules of nft in iptables' chains (%s), ours are written once, and all removed",
    async (how) => {
      network = await Network.create("iptables", ["IPv4"], "nft");
      const { node } = network;
      // As the kubelet does: iptables-nft-save fails beside the second of these rules.
      node.run("iptables-nft", ["-t", "mangle", "-N", "KUBE-IPTABLES-HINT"]);
      const config = agentConfig(["IPv4"], { packetFilter: "iptables", interception: "link-local", watchdog: false });
      runAgent(network, "node-setup", config);
      const foreign = (place: string, rule: string) =>
        node.run("nft", [how, "rule", "ip", ...place.split(" "), ...rule.split(" ")]);
      for (const place of ["raw PREROUTING", "mangle INPUT", "filter INPUT"])
        foreign(place, "ct state established,related accept");
      for (const place of ["nat PREROUTING", "nat OUTPUT"]) foreign(place, "meta skuid 5 accept");
      const others = () => node.run("nft", ["-s", "list", "ruleset", "ip"]);
      const before = others();
      runAgent(network, "node-setup", config);
      expect(others()).toBe(before);
      runAgent(network, "node-setup", { ...config, interception: "service-ip" });
      runAgent(network, "node-setup", { ...config, packetFilter: "nftables" });
      const left = others();
      expect(left).not.toContain("NODE-LOCAL-DNS");
      expect(left.match(/ct state established,related accept|meta skuid 5 accept/g)).toHaveLength(5);
      runAgent(network, "node-setup", config);
      runAgent(network, "cleanup", { ...config, state: "removed" }, ["--force", "--once"]);
      expect(others()).toBe(left);
    },
  );

  test("removed while a watchdog is left: cleanup says so, and no longer that it is done", async () => {
    network = await Network.create("iptables");
    await network.startClusterDNS();
    const config = agentConfig(["IPv4"]);
    runAgent(network, "node-setup", config);
    const { process: watchdog } = startWatchdog(network, config);
    await ready(network);
    const cleanup = () =>
      runAgent(network, "cleanup", { ...config, state: "removed" }, ["--once", "--watch-seconds", "1"]);
    // On a busy machine the last queries of `ready` may still be under way.
    const refusal = await until("a second in which nobody asks", 30, async () => {
      try {
        return cleanup();
      } catch (error) {
        const { message } = error as Error;
        return /got \d+ packets/.test(message) ? undefined : message;
      }
    });
    expect(refusal).toMatch(/link and rules are back: delete DaemonSets node-local-dns and node-local-dns-watchdog/);
    await stop(watchdog);
    expect(cleanup()).toContain("link nodelocaldns");
  });

  test("from link-local to service-ip on a running node: both addresses keep working", async () => {
    network = await Network.create("nftables");
    await network.startClusterDNS();
    const kubeProxyMode = "nftables";
    runAgent(
      network,
      "node-setup",
      agentConfig(["IPv4"], { kubeProxyMode, interception: "link-local", watchdog: false }),
    );
    const old = await network.startCache([linkLocal]);
    const change = async () => {
      await sleep(1000);
      runAgent(
        network,
        "node-setup",
        agentConfig(["IPv4"], { kubeProxyMode, interception: "service-ip", watchdog: false }),
      );
      await network.startCache([linkLocal, service]);
      await sleep(500);
      await stop(old, "SIGTERM");
      await sleep(1000);
    };
    const olds = await network.load({ server: linkLocal }, async () =>
      expectNothingLost(await network.load({ server: service }, change)),
    );
    expectNothingLost(olds);
  });

  test("reports an INPUT policy that drops, or a kernel that refuses the rules, and applies nothing", async () => {
    network = await Network.create("iptables");
    network.node.run("iptables-legacy", ["-P", "INPUT", "DROP"]);
    const before = everything(network);
    expect(() => runAgent(network, "node-setup", agentConfig(["IPv4"]))).toThrow(
      /set packetFilter to iptables, or set the policy to ACCEPT/,
    );
    expect(everything(network)).toBe(before);
    network.node.run("iptables-legacy", ["-P", "INPUT", "ACCEPT"]);
    const accepting = everything(network);
    const path = tools(network, {
      nft: 'case "$*" in "-f -") echo "Error: Could not process rule: Operation not supported" >&2; exit 1;; esac',
    });
    expect(() => runAgent(network, "node-setup", agentConfig(["IPv4"]), [], { PATH: path })).toThrow(
      /Operation not supported.*set packetFilter to iptables/,
    );
    expect(everything(network)).toBe(accepting);
  });

  test("only warns of an INPUT policy that drops if a rule accepts port 53", async () => {
    network = await Network.create("iptables");
    await network.startClusterDNS();
    const { node } = network;
    node.run("iptables-legacy", ["-P", "INPUT", "DROP"]);
    node.run("iptables-legacy", ["-A", "INPUT", "-p", "udp", "--dport", "53", "-j", "ACCEPT"]);
    const log = runAgent(network, "node-setup", agentConfig(["IPv4"], { watchdog: false }));
    expect(log).toContain("rules in it may accept queries");
    await network.startCache([linkLocal, service]);
    expectMostAnswered(await network.load({ server: service, seconds: 0.5 }), cache);
  });

  test.each([
    ["nft_socket", "socket wildcard", /the kernel lacks nft_socket \(in Linux since 5\.10\), or/],
    ["nft_fib_inet", "fib daddr", /the kernel lacks nft_fib_inet, or could not load it: try modprobe/],
    ["nft_reject_inet", "reject", /the kernel lacks nft_reject_inet, or/],
  ])("names the module that the kernel lacks, and no other: %s", async (_module, expression, named) => {
    network = await Network.create("iptables");
    const path = tools(network, {
      nft: `case "$*" in *"-f -") in=$(cat); case "$in" in *"${expression}"*) echo "Error: Could not process rule: No such file or directory" >&2; exit 1;; esac; echo "$in" | real "$@"; exit;; esac`,
    });
    expect(() => runAgent(network, "node-setup", agentConfig(["IPv4"]), [], { PATH: path })).toThrow(named);
  });

  test.each(["nftables", "iptables"] as const)(
    "names nf_tables, which both packet filters need: %s",
    async (packetFilter) => {
      network = await Network.create("iptables");
      const path = tools(network, { nft: 'echo "Error: cache initialization failed: Not supported" >&2; exit 1' });
      const config = agentConfig(["IPv4"], { packetFilter });
      expect(() => runAgent(network, "node-setup", config, [], { PATH: path })).toThrow(
        /lacks nf_tables, or .*modprobe/,
      );
    },
  );

  test("names the modules that iptables rules need if the kernel refuses one", async () => {
    network = await Network.create("iptables");
    const refusal =
      "iptables-nft-restore v1.8.9 (nf_tables): \\nline 9: RULE_APPEND failed (No such file or directory): rule in chain X";
    const refuse = `cat > /dev/null; printf '${refusal}\\n' >&2; exit 4`;
    const path = tools(network, { "iptables-nft-restore": refuse, "iptables-legacy-restore": refuse });
    const config = agentConfig(["IPv4"], { packetFilter: "iptables" });
    expect(() => runAgent(network, "node-setup", config, [], { PATH: path })).toThrow(
      /\(nf_tables\): line 9: RULE_APPEND failed .*kernel modules xt_\w+, .*xt_socket.* packetFilter to nftables/,
    );
  });

  test("with packetFilter: iptables it works under an INPUT policy that drops", async () => {
    network = await Network.create("iptables");
    await network.startClusterDNS();
    network.node.run("iptables-legacy", ["-P", "INPUT", "DROP"]);
    runAgent(network, "node-setup", agentConfig(["IPv4"], { packetFilter: "iptables", watchdog: false }));
    await network.startCache([linkLocal, service]);
    expectMostAnswered(await network.load({ server: service, seconds: 0.5 }), cache);
  });

  test("NET_ADMIN is enough with nftables; iptables-legacy also needs NET_RAW", async () => {
    network = await Network.create("iptables");
    const run = (capabilities: string, config: AgentConfig) => runConfined(network, capabilities, config);
    expect(run("+net_admin", agentConfig(["IPv4"]))).toContain("node is set up");
    expect(() => run("+net_admin", agentConfig(["IPv4"], { packetFilter: "iptables" }))).toThrow(/NET_RAW/);
    expect(run("+net_admin,+net_raw", agentConfig(["IPv4"], { packetFilter: "iptables" }))).toContain("node is set up");
  });
});

/** Runs node-setup with the rights of its container. */
function runConfined(network: Network, capabilities: string, config: AgentConfig): string {
  const file = join(network.folder, "config.json");
  writeFileSync(file, JSON.stringify(config));
  return network.node.run("setpriv", [
    "--bounding-set",
    `-all,${capabilities}`,
    "--inh-caps",
    `-all,${capabilities}`,
    "--no-new-privs",
    process.execPath,
    agentProgram(),
    "node-setup",
    "--config",
    file,
  ]);
}
