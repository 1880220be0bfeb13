import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import {
  agentConfig,
  agentProgram,
  type ConfigChange,
  listenAddresses,
  runAgent,
  startWatchdog,
} from "../../rig/kernel/agent";
import { argv } from "../../rig/argv";
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

  /** A node that is not set up yet; the cluster DNS answers. */
  async function create(mode: "iptables" | "nftables" = "iptables", backend?: "legacy" | "nft") {
    network = await Network.create(mode, ["IPv4"], backend);
    await network.startClusterDNS();
  }
  const setUp = (config: AgentConfig, env?: NodeJS.ProcessEnv) => runAgent(network, "node-setup", config, [], env);
  /** Watches for so many seconds whether somebody asks. */
  const cleanup = (config: AgentConfig, seconds = 1, env?: NodeJS.ProcessEnv) =>
    runAgent(network, "cleanup", { ...config, state: "removed" }, ["--once", "--watch-seconds", String(seconds)], env);
  const startCache = (config: AgentConfig) => network.startCache(listenAddresses(config));
  /** A node that is set up and has a cache, without a watchdog. */
  async function createWithCache(change: ConfigChange): Promise<AgentConfig> {
    await create();
    const config = agentConfig(["IPv4"], { ...change, watchdog: false });
    setUp(config);
    await startCache(config);
    return config;
  }

  test("takes over node-cache's own link and rules without losing a query", async () => {
    await create();
    installNodeCache(network);
    const foreign = `INPUT -d ${service}/32 -p udp -m udp --dport 5353 -j REJECT`;
    network.node.run("iptables-legacy", ["-A", ...foreign.split(" ")]);
    await network.startCache([linkLocal, service]);
    const load = await network.load({ server: service }, async () => {
      await sleep(1000);
      setUp(agentConfig(["IPv4"]));
      await sleep(1000);
    });
    expectNothingLost(load);
    expect(network.node.run("iptables-legacy-save", [])).not.toContain("NOTRACK");
    // A foreign rule that only looks similar stays.
    expect(network.node.run("iptables-legacy-save", ["-t", "filter"])).toContain(`-A ${foreign}`);
  });

  test("removes node-cache's rules with its container's rights, so that a dead cache loses nothing", async () => {
    await create();
    installNodeCache(network);
    const config = agentConfig(["IPv4"]);
    expect(runConfined(network, "+net_admin,+net_raw", config)).toContain("took over");
    const cacheProcess = await startCache(config);
    const load = await network.load({ server: service, rate: 200 }, async () => {
      await sleep(500);
      await stop(cacheProcess, "SIGKILL");
      await sleep(2000);
    });
    expect(load.answers[cluster]).toBeGreaterThan(50);
    // Of some 400 that come after it.
    expectLostAtMost(load, { lost: 100 });
  });

  test("draining: translates for pods at the link-local address; cleanup refuses while they send queries", async () => {
    await create("nftables");
    const removed = agentConfig(["IPv4"], { kubeProxyMode: "nftables", interception: "link-local" });
    setUp({ ...removed, state: "draining" });
    for (const protocol of ["udp", "tcp"] as const)
      expectAllAnswered(await network.load({ server: linkLocal, seconds: 0.5, protocol }), cluster);
    expectAllAnswered(await network.load({ server: linkLocal, seconds: 0.5, from: network.node }), cluster);

    const asking = await network.load({ server: linkLocal, rate: 10 }, async () => {
      expect(() => cleanup(removed)).toThrow(
        /169\.254\.20\.10 got \d+ packets in the last 1 seconds; restart the pods/,
      );
    });
    expectNothingLost(asking);

    // Commands that fail now and then, as on a busy node, cost no day of watching: here what leads past the cache, each
    // reading of the counters, and what removes, twice.
    const [calls, failed] = ["calls", "failed"].map((name) => join(network.folder, name));
    const PATH = tools(network, {
      nft: `echo >> ${calls}\ncase $(wc -l < ${calls}) in 1 | 2 | 5 | 8) echo busy >&2; exit 1 ;; esac`,
      ip: `if [ "$2" = delete ] && mkdir ${failed}; then echo busy >&2; exit 1; fi`,
    });
    const log = cleanup(removed, 1, { PATH });
    expect(log.match(/tries again: .*busy/g)).toHaveLength(4);
    expect(log).toMatch(/"removed":\["our nftables table",.*"link nodelocaldns"\]/);
  });

  // Each packet is tracked by table raw, and led by table nat, which are written one after the other.
  test("draining, iptables rules: no flow stays with a cache that is about to go", async () => {
    await create("iptables", "nft");
    const config = agentConfig(["IPv4"], { packetFilter: "iptables", interception: "link-local", watchdog: false });
    let refused = 0;
    for (let round = 0; round < 5; round++) {
      setUp(config);
      const cacheProcess = await startCache(config);
      const load = await network.load({ server: linkLocal, rate: 3000 }, async () => {
        await sleep(300);
        setUp({ ...config, state: "draining" });
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
      const config = await createWithCache({ packetFilter });
      const load = await network.load({ server: service }, async () => {
        await sleep(500);
        cleanup(config, 2);
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
    async (...[interception, packetFilter]) => {
      const config = await createWithCache({ interception, packetFilter });
      await network.load({ server: linkLocal, rate: 20, sourcePort: 5353 }, async () => {
        await sleep(500);
        expect(() => cleanup(config)).toThrow(/169\.254\.20\.10 got \d+ packets in the last 1 seconds/);
      });
      expect(cleanup(config)).toContain("link nodelocaldns");
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
      setUp(config);
      const foreign = (place: string, rule: string) =>
        node.run("nft", [how, "rule", "ip", ...place.split(" "), ...rule.split(" ")]);
      for (const place of ["raw PREROUTING", "mangle INPUT", "filter INPUT"])
        foreign(place, "ct state established,related accept");
      for (const place of ["nat PREROUTING", "nat OUTPUT"]) foreign(place, "meta skuid 5 accept");
      const others = () => node.run("nft", ["-s", "list", "ruleset", "ip"]);
      const before = others();
      setUp(config);
      expect(others()).toBe(before);
      setUp({ ...config, interception: "service-ip" });
      setUp({ ...config, packetFilter: "nftables" });
      const left = others();
      expect(left).not.toContain("NODE-LOCAL-DNS");
      expect(left.match(/ct state established,related accept|meta skuid 5 accept/g)).toHaveLength(5);
      setUp(config);
      runAgent(network, "cleanup", { ...config, state: "removed" }, ["--force", "--once"]);
      expect(others()).toBe(left);
    },
  );

  test("removed while a watchdog is left: cleanup says so, and no longer that it is done", async () => {
    await create();
    const config = agentConfig(["IPv4"]);
    setUp(config);
    const { process: watchdog } = startWatchdog(network, config);
    await ready(network);
    // On a busy machine the last queries of `ready` may still be under way.
    const refusal = await until("a second in which nobody asks", 30, async () => {
      try {
        return cleanup(config);
      } catch (error) {
        const { message } = error as Error;
        return /got \d+ packets/.test(message) ? undefined : message;
      }
    });
    expect(refusal).toMatch(/link and rules are back: delete DaemonSets node-local-dns and node-local-dns-watchdog/);
    await stop(watchdog);
    expect(cleanup(config)).toContain("link nodelocaldns");
  });

  test("from link-local to service-ip on a running node: both addresses keep working", async () => {
    await create("nftables");
    const config = agentConfig(["IPv4"], { kubeProxyMode: "nftables", watchdog: false });
    setUp({ ...config, interception: "link-local" });
    const old = await network.startCache([linkLocal]);
    const change = async () => {
      await sleep(1000);
      setUp(config);
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
    expect(() => setUp(agentConfig(["IPv4"]))).toThrow(/set packetFilter to iptables, or set the policy to ACCEPT/);
    expect(everything(network)).toBe(before);
    network.node.run("iptables-legacy", ["-P", "INPUT", "ACCEPT"]);
    const accepting = everything(network);
    const path = tools(network, {
      nft: 'case "$*" in "-f -") echo "Error: Could not process rule: Operation not supported" >&2; exit 1;; esac',
    });
    expect(() => setUp(agentConfig(["IPv4"]), { PATH: path })).toThrow(
      /Operation not supported.*set packetFilter to iptables/,
    );
    expect(everything(network)).toBe(accepting);
  });

  const accepts = "-A INPUT -p udp --dport 53 -j ACCEPT".split(" ");
  test.each([
    ["nftables rules only warn if a rule accepts port 53", "nftables", [accepts], "rules in it may accept queries"],
    ["iptables rules work", "iptables", [], "node is set up"],
  ] as const)("under an INPUT policy that drops, %s", async (_what, packetFilter, rules, says) => {
    await create();
    for (const rule of [["-P", "INPUT", "DROP"], ...rules]) network.node.run("iptables-legacy", rule);
    const config = agentConfig(["IPv4"], { packetFilter, watchdog: false });
    expect(setUp(config)).toContain(says);
    await startCache(config);
    expectMostAnswered(await network.load({ server: service, seconds: 0.5 }), cache);
  });

  const refuses = (expression: string) =>
    `case "$*" in *"-f -") in=$(cat); case "$in" in *"${expression}"*) echo "Error: Could not process rule: No such file or directory" >&2; exit 1;; esac; echo "$in" | real "$@"; exit;; esac`;
  const lacksAll = 'echo "Error: cache initialization failed: Not supported" >&2; exit 1';
  const refusal =
    "iptables-nft-restore v1.8.9 (nf_tables): \\nline 9: RULE_APPEND failed (No such file or directory): rule in chain X";
  const restore = `cat > /dev/null; printf '${refusal}\\n' >&2; exit 4`;

  test.each<[packetFilter: "nftables" | "iptables", named: RegExp, scripts: { readonly [tool: string]: string }]>([
    ["nftables", /the kernel lacks nft_socket \(in Linux since 5\.10\), or/, { nft: refuses("socket wildcard") }],
    ["nftables", /the kernel lacks nft_fib_inet, or could not load it: try modprobe/, { nft: refuses("fib daddr") }],
    ["nftables", /the kernel lacks nft_reject_inet, or/, { nft: refuses("reject") }],
    ["nftables", /lacks nf_tables, or .*modprobe/, { nft: lacksAll }],
    ["iptables", /lacks nf_tables, or .*modprobe/, { nft: lacksAll }],
    [
      "iptables",
      /\(nf_tables\): line 9: RULE_APPEND failed .*kernel modules xt_\w+, .*xt_socket.* packetFilter to nftables/,
      { "iptables-nft-restore": restore, "iptables-legacy-restore": restore },
    ],
  ])("names the modules that the kernel lacks, and no others, %s: %s", async (packetFilter, named, scripts) => {
    network = await Network.create("iptables");
    expect(() => setUp(agentConfig(["IPv4"], { packetFilter }), { PATH: tools(network, scripts) })).toThrow(named);
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
  const rights = argv`--bounding-set -all,${capabilities} --inh-caps -all,${capabilities} --no-new-privs`;
  return network.node.run("setpriv", [
    ...rights,
    ...argv`${process.execPath} ${agentProgram()} node-setup --config ${file}`,
  ]);
}
