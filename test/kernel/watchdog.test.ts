import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  agentConfig,
  listenAddresses,
  type LogLine,
  runAgent,
  startAgent,
  startWatchdog,
} from "../../rig/kernel/agent";
import { metric, page } from "../../rig/kernel/metrics";
import { missingForKernelTests, stop, type Namespace } from "../../rig/kernel/namespace";
import { Network } from "../../rig/kernel/network";
import { headerOnly, question, startSender } from "../../rig/kernel/sender";
import { cache, cluster, onNode, type Scenario } from "../../rig/kernel/scenario";
import { stoppingPath } from "../../src/model/node-programs";
import { sleep, until } from "../../rig/until";
import { eventually } from "../eventually";
import { expectAllAnswered, expectMostAnswered, expectNothingLost } from "../expect-lost";
import { tools } from "./tools";

describe.skipIf(missingForKernelTests() !== undefined)("watchdog", () => {
  test("a firewall drops replies to pods: the counts reveal it, and the cache is taken out of use", () =>
    onNode({ thresholds: { countIntervalMs: 1000, hostTimeoutMs: 3000 } }, async (s) => {
      s.network.node.run("nft", ["-f", "-"], firewall('oifname "pod0" udp sport 53 ct state untracked drop'));
      s.network.pod.ip("address add 10.244.1.3/24 dev eth0");
      startSender(s.network.pod, { server: s.server, source: "10.244.1.3", packet: question, rate: 20 });
      const load = await s.network.load({ server: s.server, rate: 100 }, async () => {
        await until("a flip", 30, async () => flips(s).length > 0);
        await sleep(3000);
      });
      expect(load.answers[cluster]).toBeGreaterThan(100);
      const said = () => ["replies_lost", "cache_up"].map((name) => ofUdp(s, name));
      await eventually("what the metrics say", 30, said, [1, 1]);
      expect(flips(s)).toContainEqual(["udp-10.96.0.10", "cluster-dns", "replies-lost"]);
    }));

  test.each(["nftables", "iptables"] as const)(
    "one pod that sends junk, or whose replies are lost, does not take the cache out of use, %s",
    (packetFilter) =>
      onNode({ packetFilter, thresholds: { countIntervalMs: 500, countFailures: 1 } }, async (s) => {
        const { node, pod } = s.network;
        node.run("nft", ["-f", "-"], firewall("ip daddr 10.244.1.3 udp sport 53 drop"));
        for (const last of [3, 4]) pod.ip(`address add 10.244.1.${last}/24 dev eth0`);
        const requests = () => metric(s.network, "packets_total", 'listener="udp-10.96.0.10",kind="requests"') ?? 0;
        // Two sources of junk, and no client that gets an answer.
        startSender(pod, { server: s.server, source: "10.244.1.2", packet: headerOnly, rate: 150 });
        startSender(pod, { server: s.server, source: "10.244.1.4", packet: headerOnly, rate: 150 });
        await sleep(3000);
        expect(requests()).toBe(0);
        startSender(pod, { server: s.server, source: "10.244.1.3", packet: question, rate: 100 });
        await until("the questions to be counted", 30, async () => requests() > 300);
        await sleep(1500);
        const without = () => ofUdp(s, "clients_without_replies");
        await eventually("one client without replies", 30, without, 1);
        expect(reasons(s)).not.toContain("replies-lost");
      }),
  );

  test("loses its way to the cluster DNS: taken out of use, though it has the queried name cached", () =>
    onNode({ thresholds: { clusterIntervalMs: 1000 } }, async (s) => {
      const known = { server: s.server, names: [s.config.clusterZone.name], seconds: 0.2 };
      expectAllAnswered(await s.network.load(known), "10.96.0.1");
      s.network.dns.run("nft", ["-f", "-"], firewall("tcp dport 53 drop", "input"));
      await until("a flip for its zone", 30, async () => reasons(s).includes("cluster-zone"));
      await isPassed(s);
      const unknown = { server: s.server, names: ["%.default.svc.cluster.local"], seconds: 0.5 };
      expectAllAnswered(await s.network.load(unknown), "10.96.0.1");
    }));

  test("three of four queries to the cluster DNS are lost: a hung cache is still taken out of use immediately", () =>
    onNode({ thresholds: { probeIntervalMs: 100, recoverAfterMs: 100 } }, async (s) => {
      const local = () => ofUdp(s, "local");
      // Worse than the losses that one dead pod of two causes.
      s.network.dns.run("nft", ["-f", "-"], firewall("udp dport 53 numgen inc mod 4 != 3 drop", "input"));
      for (let hang = 0; hang < 3; hang++) {
        const stopped = Date.now();
        s.cache.kill("SIGSTOP");
        await until("the flip", 30, async () => local() === 0, 20);
        // What it logs comes through a pipe, later than what its metrics say.
        const isFlip = ({ to, time }: LogLine) => to === "cluster-dns" && Date.parse(time) >= stopped;
        const flipped = await until("the flip in its log", 30, async () => s.watchdog.log().find(isFlip));
        expect(Date.parse(flipped.time) - stopped).toBeLessThan(5000);
        s.cache.kill("SIGCONT");
        await until("its return", 30, async () => local() === 1);
      }
    }));

  test("a cache that pauses for a moment again and again stays in use", () =>
    onNode({}, async (s) => {
      const pausesMs: number[] = [];
      const load = await s.network.load({ server: s.server }, async () => {
        for (let pause = 0; pause < 5; pause++) {
          const stopped = performance.now();
          s.cache.kill("SIGSTOP");
          await sleep(80);
          s.cache.kill("SIGCONT");
          pausesMs.push(performance.now() - stopped);
          await sleep(900);
        }
      });
      expectMostAnswered(load, cache);
      // On a busy machine this program may be late to end a pause.
      expect(flips(s).length).toBeLessThanOrEqual(pausesMs.filter((ms) => ms > 200).length * 2);
    }));

  test("another program on the cache's port: taken out of use, with a metric, until node-setup announces its hash", () =>
    onNode({}, async (s) => {
      const foreign = () => ofUdp(s, "foreign_listener");
      const answers = () => until("a good answer", 30, async () => ofUdp(s, "local") === 1);
      runAgent(s.network, "node-setup", s.config, [], { CONFIG_HASH: "0123456789" });
      await until("the note", 30, async () => foreign() === 0);
      await answers();
      const other = await s.network.startCache(listenAddresses(s.config), { configHash: "fedcba9876" });
      await stop(s.cache, "SIGTERM");
      await until("the metric", 30, async () => foreign() === 1);
      await until("a flip", 30, async () => flips(s).length > 0);
      await expectPassed(s);
      // A rollout: the next configuration is announced before its cache starts.
      runAgent(s.network, "node-setup", s.config, [], { CONFIG_HASH: "fedcba9876" });
      await until("its end", 30, async () => foreign() === 0);
      await answers();
      await stop(other, "SIGKILL");
    }));

  test("switches that a node-setup read before they were turned do not stay", () =>
    onNode({ thresholds: { checkIntervalMs: 3_600_000 } }, async (s) => {
      const [read, turned] = ["read", "turned"].map((name) => join(s.network.folder, name)) as [string, string];
      const wait = `case "$*" in "-f -") touch ${read}; until [ -e ${turned} ]; do sleep 0.05; done;; esac`;
      const PATH = tools(s.network, { nft: wait });
      const nodeSetup = startAgent(s.network, "node-setup", s.config, { PATH }).process;
      await until("it to have read them", 30, async () => existsSync(read));
      await stop(s.cache, "SIGKILL");
      await isPassed(s);
      writeFileSync(turned, "");
      await once(nodeSetup, "exit");
      const pods = () => s.network.node.run("nft", ["list", "set", "inet", "node-local-dns", "pods4"]);
      await eventually("the switches", 30, pods, (got) => expect(got).not.toContain("udp"));
    }));

  test("rules of an earlier installation that could not be removed: unready, with a metric, until node-setup removes them", () =>
    onNode({}, async (s) => {
      const no = "echo no >&2; exit 1";
      const PATH = tools(s.network, { "iptables-legacy-restore": no, "iptables-legacy-save": no });
      runAgent(s.network, "node-setup", s.config, [], { PATH });
      await until("unready", 30, async () => page(s.network, "/readyz").includes("rules of an earlier installation"));
      expect(metric(s.network, "leftover_rules")).toBe(1);
      runAgent(s.network, "node-setup", s.config);
      await isReady(s);
      expect(metric(s.network, "leftover_rules")).toBe(0);
    }));

  test("the liveness probe fails while the event loop is blocked", () =>
    onNode({}, async (s) => {
      expect(page(s.network, "/healthz")).toBe("ok\n");
      s.watchdog.process.kill("SIGSTOP");
      const probe = "exec 3<>/dev/tcp/127.0.0.1/9254; printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3; read -r line <&3";
      expect(() => s.network.node.run("timeout", ["1", "bash", "-c", probe])).toThrow("timeout");
      // Having stood still says nothing about the cache, which stays in use.
      s.watchdog.process.kill("SIGCONT");
      await sleep(1000);
      expect(flips(s)).toEqual([]);
    }));

  test("without file descriptors for a while: survives, and then watches again", () =>
    onNode({ thresholds: { checkIntervalMs: 500 } }, async (s) => {
      const limit = (files: number) =>
        execFileSync("prlimit", ["--pid", String(s.watchdog.process.pid), `--nofile=${files}:4096`]);
      limit(10);
      // Requests to it and commands that it runs now get no descriptor; the link's monitor has to be restarted.
      page(s.network, "/metrics", 9254, 2000);
      const { pid = 0 } = s.watchdog.process;
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
      for (const child of children) process.kill(Number(child), "SIGKILL");
      await sleep(2500);
      expect(s.watchdog.process.exitCode).toBeNull();
      const complained = () => s.watchdog.log().some(({ msg }) => /EMFILE|too many open files/i.test(msg));
      await until("the complaint", 30, async () => complained());
      limit(4096);
      await isReady(s);
      s.network.node.ip("link delete nodelocaldns");
      await until("the link", 30, async () => s.network.node.ip("-brief link").includes("nodelocaldns"));
      await stop(s.cache, "SIGKILL");
      await until("a flip", 30, async () => flips(s).length > 0);
    }));

  test("keeps the service IP that the next mode's node-setup added to the link", () =>
    onNode({ interception: "link-local" }, async (s) => {
      s.network.node.ip("address add 10.96.0.10/32 dev nodelocaldns");
      await sleep(2000);
      expect(s.network.node.ip("-brief address show dev nodelocaldns")).toContain("10.96.0.10/32");
    }));

  // The next comparison is up to 60 seconds away.
  test("a removed address, then a removed link: back as soon as the kernel tells of it, at default thresholds", () =>
    onNode({ interception: "link-local" }, async (s) => {
      const addresses = () => /^nodelocaldns\b.*$/m.exec(s.network.node.ip("-brief address"))?.[0];
      const isBack = (got?: string) => expect(got).toContain(`${s.server}/32`);
      for (const removal of [`address delete ${s.server}/32 dev nodelocaldns`, "link delete nodelocaldns"]) {
        s.network.node.ip(removal);
        await eventually(`the address, after ${removal}`, 30, addresses, isBack);
      }
    }));

  test("a chain that neither a probe nor a count misses: only the comparison puts it back", async () => {
    const name = "input-filter";
    const chains = (s: Scenario) => s.network.node.run("nft", ["list", "chains", "inet"]);
    const removed = (s: Scenario) => s.network.node.run("nft", ["delete", "chain", "inet", "node-local-dns", name]);
    await onNode({ thresholds: { checkIntervalMs: 3_600_000 } }, async (s) => {
      removed(s);
      await sleep(5000);
      expect(chains(s)).not.toContain(name);
    });
    await onNode({ thresholds: { checkIntervalMs: 1000 } }, async (s) => {
      removed(s);
      await until("the chain", 30, async () => chains(s).includes(name));
    });
  });

  test("told to end while a cache stops: leaves the switches as they are without that", () =>
    onNode({}, async (s) => {
      page(s.network, stoppingPath, s.config.healthPort);
      await isPassed(s);
      await stop(s.watchdog.process, "SIGTERM");
      expectMostAnswered(await s.network.load({ server: s.server, seconds: 0.5 }), cache);
    }));

  test("a node without a cache: ready, and pods use the cluster DNS", () =>
    onNode({ interception: "link-local" }, async (s) => {
      await stop(s.cache, "SIGTERM");
      await until("a flip of both listeners", 30, async () => flips(s).length >= 2);
      await isReady(s);
      expectAllAnswered(await s.network.load({ server: s.server, seconds: 0.5 }), cluster);
      expect(s.network.node.ip("-brief link")).toContain("nodelocaldns");
    }));

  test("a kernel that refuses the rules: reported in log, metric and readiness, and no link is created", async () => {
    const network = await Network.create("iptables");
    const PATH = tools(network, {
      nft: 'case "$*" in "-f -") echo "Error: Could not process rule: Operation not supported" >&2; exit 1;; esac',
    });
    const watchdog = startWatchdog(network, agentConfig(["IPv4"]), { PATH });
    try {
      await until("the refusal", 30, async () => page(network, "/readyz").includes("Operation not supported"));
      expect(page(network, "/readyz")).toContain("until then, set packetFilter to iptables");
      expect(metric(network, "rules_applied")).toBe(0);
      // What cannot be probed is not probed fast forever.
      const before = metric(network, "unmeasured_total") ?? 0;
      await sleep(3000);
      expect((metric(network, "unmeasured_total") ?? 0) - before).toBeLessThan(100);
      expect(watchdog.log().some(({ msg }) => msg.includes("Operation not supported"))).toBe(true);
      expect(network.node.ip("-brief link")).not.toContain("nodelocaldns");
    } finally {
      await network.remove();
    }
  });

  test("an INPUT policy set to drop while it runs: the cache is taken out of use, and readiness gives the reason", () =>
    onNode({ thresholds: { checkIntervalMs: 500 } }, async (s) => {
      s.network.node.run("iptables-legacy", ["-A", "INPUT", "-i", "lo", "-j", "ACCEPT"]);
      s.network.node.run("iptables-legacy", ["-P", "INPUT", "DROP"]);
      await until("the reason", 30, async () => page(s.network, "/readyz").includes("INPUT chain drops"));
      expect(metric(s.network, "blocked")).toBe(1);
      await expectPassed(s);
    }));
});

const neverChecks = { thresholds: { checkIntervalMs: 3_600_000 } };

describe.skipIf(missingForKernelTests() !== undefined)("watchdog, iptables rules", () => {
  test.each(["legacy", "nft"] as const)(
    "iptables -F of raw, %s: repaired before the next full check, without touching foreign rules",
    (backend) =>
      onNode({ packetFilter: "iptables", kubeProxyMode: "iptables", backend, ...neverChecks }, async (s) => {
        const { node } = s.network;
        const others = ["-t", "raw", "-A", "PREROUTING", "-s", "192.0.2.99/32", "-j", "ACCEPT"];
        node.run(`iptables-${backend}`, others);
        const before = rules(node, backend);
        expect(before.join()).toContain("NODE-LOCAL-DNS");
        node.run(`iptables-${backend}`, ["-t", "raw", "-F"]);
        node.run(`iptables-${backend}`, others);
        // A probe may meet the cluster DNS in the meantime; then the switches, which have the socket match, follow later.
        const lasting = (all: string[]) => all.filter((rule) => !rule.includes("-m socket")).join();
        await until("the repair", 30, async () => lasting(rules(node, backend)) === lasting(before), 20);
        await until("the switches", 30, async () => rules(node, backend).join() === before.join());
        // What the first comparison after its start repairs is not counted, and this may have been the first.
        const repairs = () => metric(s.network, "repairs_total", 'kind="rules"') ?? 0;
        if (repairs() === 0) node.run(`iptables-${backend}`, ["-t", "raw", "-F"]);
        await until("the count", 30, async () => repairs() > 0);
      }),
  );

  test("the xtables lock held for 10 seconds: rules are written as soon as it is free", () =>
    onNode({ packetFilter: "iptables", kubeProxyMode: "iptables" }, async (s) => {
      const { node } = s.network;
      const before = rules(node, "legacy");
      const lock = openSync(node.lockFile, "w");
      const holder = spawn("flock", ["--exclusive", "3"], { stdio: ["ignore", "ignore", "ignore", lock] });
      await new Promise((resolve) => holder.once("exit", resolve));
      // The lock belongs to the open file, not to flock, which has exited.
      flushRawWithoutLock(node);
      await sleep(10_000);
      expect(rules(node, "legacy")).not.toEqual(before);
      closeSync(lock);
      await until("the repair", 40, async () => rules(node, "legacy").join() === before.join());
      // Probes met the cluster DNS in the meantime, so it may answer for some seconds.
      expectNothingLost(await s.network.load({ server: s.server, seconds: 0.5 }));
    }));
});

function firewall(rule: string, hook: "input" | "output" = "output"): string {
  return `table inet somebody { chain own {\ntype filter hook ${hook} priority 0;\n${rule}\n}\n}\n`;
}

function flips(s: Scenario): string[][] {
  const all = s.watchdog.log().filter((line) => line["to"] !== undefined);
  return all.map((line) => [line["listener"], line["to"], line["reason"]].map(String));
}

/** Why listeners were taken out of use, or back. */
function reasons(s: Scenario): (string | undefined)[] {
  return flips(s).map(([, , reason]) => reason);
}

/** A metric of the listener for pods' queries over UDP. */
function ofUdp(s: Scenario, name: string): number | undefined {
  return metric(s.network, name, 'listener="udp-10.96.0.10"');
}

/** Waits until the pods' queries over UDP go past the cache. */
async function isPassed(s: Scenario): Promise<void> {
  await until("queries to go past the cache", 30, async () => ofUdp(s, "local") === 0);
}

async function isReady(s: Scenario): Promise<void> {
  await until("readiness", 30, async () => page(s.network, "/readyz") === "ok\n");
}

/** All pods' queries of half a second go to the cluster DNS. */
async function expectPassed(s: Scenario): Promise<void> {
  await isPassed(s);
  expectAllAnswered(await s.network.load({ server: s.server, seconds: 0.5 }), cluster);
}

function rules(node: Namespace, backend: "legacy" | "nft"): string[] {
  return node
    .run(`iptables-${backend}-save`, [])
    .split("\n")
    .filter((line) => /^(-A|:NODE)/.test(line))
    .map((line) => line.replace(/ \[\d+:\d+\]$/, ""))
    .sort();
}

function flushRawWithoutLock(node: Namespace): void {
  node.run("iptables-legacy", ["-t", "raw", "-F"], undefined, { XTABLES_LOCKFILE: `${node.lockFile}.other` });
}
