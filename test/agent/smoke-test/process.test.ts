import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer, Question } from "dns-packet";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { agentProgram } from "../../../rig/kernel/agent";
import { ending } from "../../../src/agent/smoke-test/report";
import { smokeTest } from "../../../src/agent/smoke-test/run";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { DnsServer, type Reply } from "../../../rig/dns-server";
import { temporaryFolder } from "../../temporary-folder";
import { cached, componentOf } from "../../cached";

const NXDOMAIN = { rcode: 3 };
const SERVFAIL = { rcode: 2 };
const health = "health.node-local-dns.internal";
const own = "cluster-dns-smoke-test.kube-system.svc.cluster.local";
const pod = `10-244-0-5.${own}`;
const kubernetes = "A kubernetes.default.svc.cluster.local";
const kubeDns = "A kube-dns.kube-system.svc.cluster.local";
const reverse = "PTR 10.0.96.10.in-addr.arpa";
const stubDomains = { "corp.example": ["10.1.2.3"] };
const props: ClusterDnsProps = { ...cached, stubDomains, smokeTest: { outsideName: "www.example.com" } };

const folder = temporaryFolder("smoke-test");
const whereabouts = { POD_IPS: "10.244.0.5", POD_NAME: "cluster-dns-smoke-test-x", NODE_NAME: "node-1" };

beforeAll(() => Object.entries(whereabouts).forEach(([name, value]) => vi.stubEnv(name, value)));
afterAll(() => vi.unstubAllEnvs());

const target = "kubernetes.default.svc.cluster.local";
const someService: Reply = {
  records: [{ type: "SRV", name: `_https._tcp.${target}`, ttl: 5, data: { port: 443, target } }],
};

/** A cluster that works. */
function answer({ type, name }: Question): Reply {
  const record = (data: unknown) => ({ records: [{ type, name, ttl: 5, data } as Answer] });
  const kubeDnsName = kubeDns.slice("A ".length);
  const known: { [question: string]: Reply } = {
    [kubernetes]: ["10.96.0.1"],
    [kubeDns]: ["10.96.0.10"],
    [`SRV _dns-tcp._tcp.${kubeDnsName}`]: record({ port: 53, priority: 0, weight: 100, target: kubeDnsName }),
    [reverse]: record(kubeDnsName),
    "A www.example.com": ["192.0.2.80"],
    [`A ${own}`]: ["10.244.0.4", "10.244.0.5"],
    [`A ${pod}`]: ["10.244.0.5"],
    [`TXT ${health}`]: record(["pod=node-local-dns-7x2kp", "config=0123456789"]),
  };
  return known[`${type} ${name}`] ?? NXDOMAIN;
}

/** Answers that differ from those of a cluster that works: `A kubernetes.default.svc.cluster.local`. */
interface Answers {
  readonly [question: string]: Reply | ((transport: "udp" | "tcp") => Reply);
}

/** A new name has a label that no other run has. */
function unnewed(text: string): string {
  return text.replaceAll(/\b[0-9a-f]{16}\./g, "NEW.");
}

interface Setting {
  readonly answers?: Answers;
  readonly failing?: RegExp;
  readonly network?: string;
  readonly searches?: string;
  readonly authoritativeDNS?: NonNullable<ClusterDnsProps["authoritativeDNS"]>;
  readonly usedWithinSeconds?: number;
}

/** A cluster DNS of its own, and what the smoke test is told about it. */
async function serve({ answers = {}, failing = /^$/, ...setting }: Setting) {
  const dns = await new DnsServer((question, transport) => {
    if (failing.test(question.name)) return SERVFAIL;
    const given = answers[`${question.type} ${unnewed(question.name)}`] ?? answer(question);
    return typeof given === "function" ? given(transport) : given;
  }).start();
  const server = `127.0.0.1:${dns.port}`;
  const { authoritativeDNS = {}, searches = "default.svc.cluster.local svc.cluster.local" } = setting;
  const config = {
    ...componentOf("smokeTest", { ...props, authoritativeDNS }).config,
    servers: { linkLocal: [], service: [server] },
    cache: { healthZone: health, servers: [server], usedWithinSeconds: setting.usedWithinSeconds ?? 1 },
    settledAfterSeconds: 0.1,
  };
  const resolvConf = join(mkdtempSync(join(folder, "run-")), "resolv.conf");
  writeFileSync(resolvConf, `search ${searches}\noptions ndots:5\n`);
  const lines = (text: string) => text.trimEnd().replaceAll(server, "SERVER").split("\n").map(unnewed);
  return { dns, config, resolvConf, lines };
}

/** In this process. Several run at a time, because some wait for answers that never come. */
async function run(setting: Setting = {}) {
  const { dns, config, resolvConf, lines } = await serve(setting);
  const report = await smokeTest(config, { network: setting.network ?? "pod", resolvConf });
  dns.stop();
  return { isPassed: report.isPassed, report: lines(report.lines.join("\n")), asked: dns.asked };
}

/** The program as its pod runs it. */
async function runProgram(setting: Setting) {
  const { dns, config, resolvConf, lines } = await serve(setting);
  const [file, status] = [`${resolvConf}.json`, `${resolvConf}.status`];
  writeFileSync(file, JSON.stringify(config));
  writeFileSync(status, "");
  const where = [`--config=${file}`, "--network=pod", `--resolv-conf=${resolvConf}`, `--termination-log=${status}`];
  const child = spawn(process.execPath, [agentProgram(), "smoke-test", ...where], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (text) => (out += String(text)));
  const [code] = (await once(child, "close")) as [unknown];
  dns.stop();
  return { code, report: lines(out), status: lines(readFileSync(status, "utf8")) };
}

const right = "smoke test passed: 20 answers are right";

describe.concurrent("agent smoke-test", () => {
  it("passes where every name has its answer, over UDP and TCP, and says who answered", async () => {
    const { isPassed, report, asked: seen } = await run();
    expect(isPassed).toBe(true);
    expect(report).toEqual([
      "smoke test from the pods' network, cluster-dns-smoke-test-x on node-1",
      "note: answered by the cache node-local-dns-7x2kp: SERVER udp, SERVER tcp",
      right,
    ]);
    const asked = new Set(seen.map(unnewed));
    const outside = ["A NEW.corp.example", "A www.example.com"];
    const ofCluster = [kubernetes, reverse, `A ${pod}`, "A NEW.kube-system.svc.cluster.local"];
    const all = [...outside, ...ofCluster, "SRV _dns-tcp._tcp.kube-dns.kube-system.svc.cluster.local"];
    const expected = all.flatMap((question) => [`udp ${question}`, `tcp ${question}`]);
    expect([...asked]).toEqual(expect.arrayContaining(expected));
  });

  const noName = "got NXDOMAIN, expected NOERROR kube-dns.kube-system.svc.cluster.local";
  const coreDNS = /^next: CoreDNS does not answer for the cluster as it should: kubectl logs/;
  const newPods = /^next: CoreDNS does not learn of new pods: kubectl get endpointslices/;
  const otherDomain = /^next: kubelets give pods another cluster domain than the cluster file, or none/;
  const stubs = /^next: stubDomains: do the servers of corp.example answer/;
  const another = /^next: SERVER: another than this node's cache answers/;
  const parked = { records: [{ type: "TXT", name: health, ttl: 5, data: "parked" } as const] };
  it.each<[what: string, question: string, reply: Reply, failed: string, next: RegExp]>([
    ["the cluster's own name", kubernetes, NXDOMAIN, "got NXDOMAIN, expected NOERROR A", coreDNS],
    ["another address", kubeDns, ["10.96.0.11"], "got NOERROR 10.96.0.11, expected NOERROR 10.96.0.10", coreDNS],
    ["a reverse name", reverse, NXDOMAIN, noName, coreDNS],
    ["the pod's own name", `A ${pod}`, NXDOMAIN, "got NXDOMAIN, expected NOERROR 10.244.0.5", newPods],
    ["a zone", "A NEW.corp.example", SERVFAIL, "got SERVFAIL, expected any answer but SERVFAIL and REFUSED", stubs],
    ["a name outside", "A www.example.com", NXDOMAIN, "got NXDOMAIN, expected NOERROR A", /^next: names outside/],
    ["the cache", `TXT ${health}`, NXDOMAIN, "got NXDOMAIN, expected NOERROR TXT", another],
    ["a wildcard outside", `TXT ${health}`, parked, "got NOERROR parked, expected NOERROR TXT", another],
  ])("fails for %s, with what to do", async (_, question, reply, failed, next) => {
    const { isPassed, report } = await run({ answers: { [question]: reply } });
    const who = question.startsWith("TXT") ? "the cluster DNS" : "the cache node-local-dns-7x2kp";
    expect(isPassed).toBe(false);
    expect(report.slice(1)).toEqual([
      `note: answered by ${who}: SERVER udp, SERVER tcp`,
      `failed: SERVER udp ${question}: ${failed}`,
      `failed: SERVER tcp ${question}: ${failed}`,
      expect.stringMatching(next),
      `smoke test failed: 2 of 20 answers are wrong; first: SERVER udp ${question}: ${failed.replace(/, expected.*/, "")}`,
    ]);
  });

  const overTcp =
    (rest: Reply, tcp: Reply = "silence") =>
    (transport: "udp" | "tcp") =>
      transport === "tcp" ? tcp : rest;
  it.each<[what: string, setting: Setting, next: RegExp[], end?: RegExp]>([
    [
      "does not ask the rest of a server that answers nothing over a protocol",
      { answers: { [kubernetes]: overTcp(["10.96.0.1"]) } },
      [/^next: SERVER: nothing answers: has Service kube-dns endpoints/],
      /^smoke test failed: 1 of 11 .*, and 8 more .*; first: SERVER tcp A kubernetes/,
    ],
    [
      "blames endpoints that do not answer, where others do",
      {
        answers: {
          [reverse]: overTcp(SERVFAIL),
          [`A ${pod}`]: overTcp(["10.244.0.5"], SERVFAIL),
          "A www.example.com": overTcp(["192.0.2.80"]),
        },
      },
      // Servers outside may be slow themselves.
      [/^next: no answer to some questions, right ones to others.*: some endpoints/, /^next: names outside/],
    ],
    ["blames CoreDNS if no name of the cluster gets one", { failing: /cluster\.local$|arpa$/ }, [coreDNS, newPods]],
    ["finds kubelets with another domain", { searches: "svc.corp.local corp.local" }, [otherDomain]],
    ["finds kubelets with none", { searches: "corp.example" }, [otherDomain]],
  ])("%s", async (_, setting, next, end = /^smoke test failed/) => {
    const { report } = await run(setting);
    expect(report.filter((line) => line.startsWith("next: "))).toEqual(next.map((each) => expect.stringMatching(each)));
    expect(report.at(-1)).toMatch(end);
  });

  /** Others for the first questions. */
  const atFirst = (other: Reply, count: number, rest: Reply) => {
    let times = 0;
    return (by: "udp" | "tcp") => (by === "udp" && times++ < count ? other : rest);
  };
  const service = { [`A ${pod}`]: NXDOMAIN, "SRV _https._tcp.kubernetes.default.svc.cluster.local": someService };
  const cacheLate = atFirst(NXDOMAIN, 2, answer({ type: "TXT", name: health }));
  const pass = /^smoke test passed: /;
  it.each<[what: string, setting: Setting, ...lines: (string | RegExp)[]]>([
    [
      "bears with a lost packet, as resolvers do, and says so",
      { answers: { [`A ${pod}`]: atFirst("silence", 1, ["10.244.0.5"]) } },
      /^note: answered only when asked again: SERVER udp A 10-244-0-5\./,
      pass,
    ],
    [
      "asks over TCP for an answer that is too large for UDP, as resolvers do",
      { answers: { "A www.example.com": atFirst("truncated", Infinity, ["192.0.2.80"]) } },
      right,
    ],
    // On a busy machine, a first answer may take longer than a second.
    ["waits for a cache", { answers: { [`TXT ${health}`]: cacheLate }, usedWithinSeconds: 60 }, right],
    ["expects no name of its pod from another DNS", { answers: service, authoritativeDNS: { kind: "Existing" } }, pass],
    [
      "does not expect the cache in a node's network",
      { answers: { [`TXT ${health}`]: NXDOMAIN }, network: "host" },
      "smoke test from a node's network, cluster-dns-smoke-test-x on node-1",
      "note: answered by the cluster DNS, which is normal here: SERVER udp, SERVER tcp",
      pass,
    ],
  ])("%s", async (_, setting, ...lines) => {
    const expected = lines.map((line) => (typeof line === "string" ? line : expect.stringMatching(line)));
    expect(await run(setting)).toMatchObject({ isPassed: true, report: expect.arrayContaining(expected) });
  });

  it("does not ask again after a wrong answer", async () => {
    let times = 0;
    const answers: Answers = { [kubeDns]: () => (times++ < 1 ? SERVFAIL : ["10.96.0.10"]) };
    expect((await run({ answers })).isPassed).toBe(false);
    expect(times).toBe(2); // UDP and TCP
  });

  it.each<[code: number, answers: Answers]>([
    [0, {}],
    [1, { [kubernetes]: SERVFAIL }],
  ])("exits with %s, and gives the pod's status the finding", async (expected, answers) => {
    const { code, report, status } = await runProgram({ answers });
    expect(code).toBe(expected);
    expect(status).toEqual(report);
  });
});

it("a report too long for a pod's status loses failed questions first, never its end", () => {
  const failed = Array.from({ length: 100 }, (_, i) => `failed: 10.96.0.10 udp A name-${i}: got SERVFAIL, expected A`);
  const lines = ["smoke test from x", ...failed, "next: do this", "smoke test failed: 100"];
  const kept = ending(lines, 1000);
  expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(1000);
  expect(kept).toMatch(/^\(\d+ lines more in the log\)\nsmoke test from x\nfailed: [^]*\nnext: .*\nsmoke test failed/);
});
