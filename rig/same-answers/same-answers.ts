import type { Answer, RecordType } from "dns-packet";
import { readState } from "../../src/live/read-state";
import { answersToday, evidenceOf } from "../../src/live/take-over/evidence";
import { Fleet } from "../../src/live/take-over/fleet";
import { takeOver } from "../../src/live/take-over/take-over";
import { authoritativeCorefile } from "../../src/model/corefile/authoritative";
import { plugin, type Corefile, type Directive, type WrittenCorefile } from "../../src/model/corefile/corefile";
import { parseCorefile } from "../../src/model/corefile/parse";
import { pluginRule } from "../../src/model/corefile/plugins";
import { renderCorefile } from "../../src/model/corefile/render";
import { zoneFiles } from "../../src/model/corefile/zones";
import { outsideServers } from "../../src/model/node-programs";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import type { Answers } from "../../src/model/takeover/answers";
import { parseServer } from "../../src/model/syntax/addresses";
import { ask } from "../coredns/ask";
import { corefileBeside } from "../coredns/corefile-of";
import { runCoreDNS, type Running } from "../coredns/coredns";
import { FakeApi } from "../coredns/fake-api";
import { namespace, pod, putHeadless, putService } from "../coredns/objects";
import { importedService, suggestedNames, suggestedServices } from "./questions";
import { Upstreams } from "./upstreams";

/** What one question is answered by both. */
export interface Difference {
  readonly name: string;
  readonly type: RecordType;
  readonly over: "udp" | "tcp";
  readonly theirs: string;
  readonly ours: string;
  /** Whether only the time is another for which it may be kept. */
  readonly isOfTTL: boolean;
}

export interface Compared {
  /** The description that `init` makes. */
  readonly description: ClusterDnsProps;
  readonly asked: number;
  /** What pods get, through the node caches if there are any. */
  readonly differences: readonly Difference[];
  /** What CoreDNS itself answers; none if its owner keeps it. */
  readonly ofCoreDNS: readonly Difference[];
  /** Plugins of theirs that our CoreDNS cannot run. */
  readonly unknown: readonly string[];
}

/** TTLs of one answer may be so many seconds apart: on a machine with load, one server is asked later than the other. */
const apart = 10;

/**
 * Starts what a cluster has for DNS, and what `init` makes of it, side by side on loopback, with the same servers outside
 * and the same API, and asks both what their configurations suggest.
 * @param objects As `init --from` reads them.
 */
export async function sameAnswers(objects: string): Promise<Compared> {
  const state = readState(objects);
  const { description } = takeOver(state);
  const cluster = new Fleet({}).cluster(description);
  if (!cluster) throw new Error("nothing that can be rendered");
  const { dns, cache, isCluster } = answersToday(evidenceOf(state), false);
  if (dns.corefile.length === 0) throw new Error("no Corefile of the cluster's DNS");
  const { authoritativeDns, nodeLocalDns } = cluster.components;
  const ours = authoritativeDns && authoritativeCorefile(authoritativeDns.names);
  const written = ours ? parseCorefile(renderCorefile(ours)) : [];
  const corefiles = [dns.corefile, ...(cache ? [cache.corefile] : []), written];
  const domain = cluster.said.clusterDomain;

  const fake = fakeApi(suggestedServices(corefiles, domain));
  const upstreams = new Upstreams();
  const running: Running[] = [];
  const unknown: string[] = [];
  try {
    const api = await fake.start();
    const start = async (corefile: Corefile, files = {}) => {
      const started = await runCoreDNS(await asking(corefile, upstreams), { api, files });
      running.push(started);
      return started;
    };
    const theirs = runnable(dns, unknown);
    const theirDns = await start(theirs.corefile, theirs.files);
    const theirPods = cache ? await start(cacheOf(cache, isCluster, theirDns.port, unknown)) : theirDns;
    const ourDns = ours ? await start(ours, zoneFiles(authoritativeDns.names.zones)) : theirDns;
    const ourPods = nodeLocalDns ? await start(corefileBeside(ourDns.port, nodeLocalDns)) : ourDns;
    const questions = allQuestions(suggestedNames(corefiles, domain));
    return {
      description: description as object as ClusterDnsProps,
      asked: questions.length,
      differences: await differencesOf(questions, theirPods.port, ourPods.port),
      ofCoreDNS: ours ? await differencesOf(questions, theirDns.port, ourDns.port) : [],
      unknown,
    };
  } finally {
    await Promise.all(running.map((each) => each.stop()));
    await upstreams.stop();
    await fake.stop();
  }
}

function partition<T>(all: readonly T[], is: (each: T) => boolean): [T[], T[]] {
  return [all.filter(is), all.filter((each) => !is(each))];
}

function fakeApi(services: ReturnType<typeof suggestedServices>): FakeApi {
  const fake = new FakeApi();
  const all = [{ namespace: "default", name: "kubernetes" }, ...services];
  for (const each of new Set([...all.map(({ namespace: name }) => name), "kube-system"]))
    fake.put("namespaces", namespace(each));
  for (const [i, each] of all.entries())
    putService(fake, each.namespace, each.name, `10.96.${i >> 8}.${(i & 255) + 1}`, [`10.244.1.${(i % 250) + 1}`]);
  fake.put("serviceimports", {
    metadata: importedService,
    spec: { type: "ClusterSetIP", ips: ["10.97.0.1"], ports: [{ name: "http", port: 80, protocol: "TCP" }] },
  });
  putHeadless(fake, "default", "headless", "web-0", "10.244.0.9");
  fake.put("pods", pod("default", "web-0", "10.244.0.9"));
  return fake;
}

/** A Corefile of theirs without what is of other listeners, and of plugins that CoreDNS no longer has. */
function runnable(
  { corefile, port: asked }: Pick<Answers, "corefile" | "port">,
  unknown: string[],
): { corefile: WrittenCorefile; files: { [name: string]: string } } {
  const files: { [name: string]: string } = {};
  const known = (each: WrittenCorefile[number]["plugins"][number]) => {
    if (each.name === "proxy") return [{ ...each, name: "forward", options: [] }];
    if (pluginRule(each.name) === undefined) {
      unknown.push(each.name);
      return [];
    }
    if (["reload", "tls"].includes(each.name)) return [];
    const text = each.name === "file" ? each.options.find(({ name }) => name === "text") : undefined;
    if (!text)
      return [
        { ...each, options: each.options.filter(({ name }) => !(each.name === "kubernetes" && name === "upstream")) },
      ];
    const file = `file-${Object.keys(files).length}`;
    files[file] = `${text.args[0] ?? ""}\n`;
    return [
      {
        ...each,
        args: [`/etc/coredns/${file}`, ...each.args.slice(1)],
        options: each.options.filter(({ name }) => name !== "text"),
      },
    ];
  };
  // Blocks that blocks ask.
  const inner = corefile.flatMap(({ plugins }) =>
    plugins.flatMap(({ args }) => args.flatMap((arg) => /^127\.0\.0\.1:(\d+)$/.exec(arg)?.[1] ?? [])),
  );
  const blocks = corefile
    .map(({ keys, plugins }) => ({
      keys: keys
        .filter(({ transport, port }) => transport === "dns" && (port === asked || inner.includes(String(port))))
        .map((key) => (key.port === asked ? { ...key, port: 53 } : key)),
      plugins: plugins.flatMap(known),
    }))
    .filter(({ keys }) => keys.length > 0);
  return { corefile: blocks, files };
}

/** A node cache of theirs in front of their CoreDNS. */
function cacheOf(
  cache: Answers,
  isCluster: (server: string) => boolean,
  port: number,
  unknown: string[],
): WrittenCorefile {
  return runnable(cache, unknown).corefile.map((block) => ({
    ...block,
    plugins: block.plugins
      .filter(({ name }) => name !== "bind")
      .map((each) =>
        each.name === "forward"
          ? { ...each, args: each.args.map((arg, i) => (i > 0 && isCluster(arg) ? `127.0.0.1:${port}` : arg)) }
          : each,
      ),
  }));
}

/** The same with servers outside that run on loopback. */
async function asking(corefile: Corefile, upstreams: Upstreams): Promise<Corefile> {
  const moved = async (each: Directive): Promise<Directive> => {
    const [from = ".", ...servers] = each.args;
    const isOwn = servers.every((server) => String(server).startsWith("127.0.0.1:"));
    if (each.name !== "forward" || isOwn) return each;
    const targets = servers.map((server) => {
      const text = String(server)
        .replace(/^dns:\/\//, "")
        .replace(outsideServers.file, "/etc/resolv.conf");
      const { address, port = 53 } = parseServer(text) ?? {};
      return address !== undefined && port === 53 ? address : text;
    });
    const port = await upstreams.portOf(targets);
    const options = each.options.filter(({ name }) => !["tls", "tls_servername", "health_check"].includes(name));
    return plugin("forward", [from, `127.0.0.1:${port}`], options);
  };
  return Promise.all(
    corefile.map(async (block) => ({ ...block, plugins: await Promise.all(block.plugins.map(moved)) })),
  );
}

const types: readonly RecordType[] = ["A", "AAAA", "TXT", "SRV", "MX", "CNAME", "SOA", "NS", "PTR"];

type Question = Pick<Difference, "name" | "type" | "over">;

function allQuestions(names: readonly string[]): Question[] {
  return names.flatMap((name) =>
    types.flatMap((type) => (["udp", "tcp"] as const).map((over): Question => ({ name, type, over }))),
  );
}

/** How many are asked at once. */
const atOnce = 32;

/** CoreDNS keeps a SERVFAIL for five seconds (plugin/cache). */
const untilForgotten = 6000;

async function differencesOf(questions: readonly Question[], theirs: number, ours: number): Promise<Difference[]> {
  const found = await compare(questions, theirs, ours);
  const isFailure = (text: string) => text === "SERVFAIL" || text === noAnswer;
  const [failed, others] = partition(found, (each) => isFailure(each.theirs) || isFailure(each.ours));
  if (failed.length === 0) return found;
  // A server outside that was late once is no difference.
  await new Promise((resolve) => setTimeout(resolve, untilForgotten));
  const again = await compare(failed, theirs, ours);
  return [...others, ...again.filter(({ isOfTTL }) => !isOfTTL)];
}

async function compare(questions: readonly Question[], theirs: number, ours: number): Promise<Difference[]> {
  const found: Difference[] = [];
  for (let i = 0; i < questions.length; i += atOnce) {
    const compared = await Promise.all(
      questions.slice(i, i + atOnce).map(async ({ name, type, over }) => {
        const question = { name, type, over };
        const [one, other] = await Promise.all([replyTo(question, theirs), replyTo(question, ours)]);
        const isOfTTL = one.text === other.text;
        if (isOfTTL && Math.abs(one.ttl - other.ttl) <= apart) return [];
        const shown = ({ text, ttl }: typeof one) => (isOfTTL ? `ttl ${ttl}` : text);
        return [{ ...question, theirs: shown(one), ours: shown(other), isOfTTL }];
      }),
    );
    found.push(...compared.flat());
  }
  return found;
}

const noAnswer = "no answer";

async function replyTo({ name, type, over }: Question, port: number): Promise<{ text: string; ttl: number }> {
  try {
    const { rcode, answers } = await ask({ name, type, port, tcp: over === "tcp" });
    const records = answers.filter((each) => each.type !== "OPT");
    const text = records.length > 0 ? records.map(recordText).toSorted().join(", ") : rcode;
    return { text, ttl: Math.min(...records.map((each) => ("ttl" in each ? (each.ttl ?? 0) : 0)), 86_400) };
  } catch {
    return { text: noAnswer, ttl: 86_400 };
  }
}

function recordText(record: Answer): string {
  const data = "data" in record ? record.data : "";
  // The serial number of an SOA is the time.
  const text =
    typeof data === "object" && !Buffer.isBuffer(data) && !Array.isArray(data)
      ? JSON.stringify({ ...data, serial: undefined })
      : [data].flat().map(String).join(" ");
  return `${record.name.toLowerCase()} ${record.type} ${text.toLowerCase()}`;
}
