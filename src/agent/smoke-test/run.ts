import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { SmokeTestConfig } from "../../model/smoke-test/smoke-test-config";
import { canonicalAddress, familyOf } from "../../model/syntax/addresses";
import { grouped } from "../../model/syntax/grouped";
import { inTurn } from "../../model/syntax/in-turn";
import { statusBytes, writeStatus } from "../exit";
import { ask, cachePod, type Asked, type Question, type Way } from "./ask";
import { ending, report } from "./report";
import { readFileSync } from "node:fs";
import { parseResolvConf } from "../../model/syntax/resolv-conf";

interface SmokeTestOptions {
  /** `pod`, or `host` for a node's. */
  readonly network: string;
  readonly resolvConf: string;
  readonly terminationLog: string;
}

/** Fewer than a forwarder of CoreDNS takes (`max_concurrent`), with two Jobs that ask. */
const atOnce = 100;

const againMs = 500;

/** Asks everything once, prints the report, and sets the exit code. */
export async function runSmokeTest(config: SmokeTestConfig, options: SmokeTestOptions): Promise<void> {
  const { lines, isPassed } = await smokeTest(config, options);
  process.stdout.write(`${lines.join("\n")}\n`);
  writeStatus(ending(lines, statusBytes), options.terminationLog);
  process.exitCode = isPassed ? 0 : 1;
}

export async function smokeTest(
  config: SmokeTestConfig,
  options: Omit<SmokeTestOptions, "terminationLog">,
): Promise<{ readonly lines: string[]; readonly isPassed: boolean }> {
  await sleep(config.settledAfterSeconds * 1000);
  const { nameservers, domain } = readResolvConf(options.resolvConf);
  const { linkLocal, service } = config.servers;
  const ways = [...new Set([...linkLocal, ...service, ...nameservers])].flatMap((server): Way[] => [
    { server, protocol: "udp" },
    { server, protocol: "tcp" },
  ]);

  const first = await inTurn(ways, atOnce, (way) => askAsResolvers(way, config.clusterName));
  // The other questions to one that is silent would say the same, and take their time.
  const working = ways.filter((_, i) => first[i]?.rcode !== undefined);
  const known = [...questionsOf(config, domain), ...ownQuestions(config)];
  const pairs = working.flatMap((way) => known.map((question) => [way, question] as const));
  const answers = [...first, ...(await inTurn(pairs, atOnce, ([way, question]) => askAsResolvers(way, question)))];
  // Rules for a node's own queries are others.
  const mustBeCache = options.network === "pod" ? (config.cache?.servers ?? []) : [];
  const isRequired = ({ server }: Way) => mustBeCache.includes(server);
  const who = await inTurn(working, atOnce, (way) => askForCache(config, way, isRequired(way)));
  const asked = [...answers, ...who.flat().filter(({ way }) => isRequired(way))];
  const lines = report({
    from: `${options.network === "host" ? "a node's network" : "the pods' network"}, ${whereabouts()}`,
    asked,
    notAsked: (ways.length - working.length) * known.length,
    linkLocal,
    dnsService: config.dnsService,
    notes: [...answeredBy(who.flat(), isRequired), ...answers.flatMap(lost)],
  });
  return { lines, isPassed: asked.every(({ isRight }) => isRight) };
}

function whereabouts(): string {
  const { POD_NAME: pod = "no pod", NODE_NAME: node = "no node" } = process.env;
  return `${pod} on ${node}`;
}

function questionsOf({ questions, clusterName }: SmokeTestConfig, domain: string | undefined): Question[] {
  // What a resolver asks without the cluster's search list.
  const searched = domain === undefined ? "kubernetes.default" : `kubernetes.default.svc.${domain}`;
  return [
    ...questions.map((each) =>
      each.expect === "absent" || each.expect === "answered"
        ? { ...each, name: `${randomBytes(8).toString("hex")}.${each.name}` }
        : each,
    ),
    ...(searched === clusterName.name ? [] : [{ ...clusterName, about: "search-list", name: searched } as const]),
  ];
}

/** The headless Service, and the pod's own name behind it: no cache knows its address from a pod before. */
function ownQuestions({ own }: SmokeTestConfig): Question[] {
  const about = "own-pod";
  const addresses = (process.env["POD_IPS"] ?? "").split(",").filter((address) => familyOf(address));
  return addresses.flatMap((address): Question[] => {
    const type = familyOf(address) === "IPv6" ? "AAAA" : "A";
    if (!own.types.includes(type)) return [];
    const name = `${address.replace(/[.:]/g, "-")}.${own.service}`;
    return [
      { about, name: own.service, type, expect: "records" },
      ...(own.hasPodNames
        ? [{ about, name, type, expect: "records", data: [canonicalAddress(address)] } as const]
        : []),
    ];
  });
}

/** Who answers. Where it must be the cache, a watchdog that leads past one may take a while to find it mended. */
async function askForCache({ cache }: SmokeTestConfig, way: Way, isRequired: boolean): Promise<Asked[]> {
  if (!cache) return [];
  const until = performance.now() + (isRequired ? cache.usedWithinSeconds * 1000 : 0);
  for (;;) {
    const asked = await ask(way, { about: "cache", name: cache.healthZone, type: "TXT", expect: "records" });
    if (asked.isRight || performance.now() >= until) return [asked];
    await sleep(againMs);
  }
}

interface Answered extends Asked {
  readonly attempts: 1 | 2;
}

/** Silence over UDP may be one lost packet: a resolver asks again, once. */
async function askAsResolvers(way: Way, question: Question): Promise<Answered> {
  const asked = await ask(way, question);
  if (asked.rcode !== undefined || way.protocol === "tcp") return { ...asked, attempts: 1 };
  return { ...(await ask(way, question)), attempts: 2 };
}

function lost({ way, question, rcode, attempts }: Answered): string[] {
  if (rcode === undefined || attempts === 1) return [];
  return [`answered only when asked again: ${way.server} ${way.protocol} ${question.type} ${question.name}`];
}

/** Who answered where: a cache gives its pod's name. */
function answeredBy(asked: readonly Asked[], isRequired: (way: Way) => boolean): string[] {
  const who = ({ way, isRight, data }: Asked) => {
    if (isRight) return `the cache ${cachePod(data)}`;
    return isRequired(way) ? "the cluster DNS" : "the cluster DNS, which is normal here";
  };
  return grouped(asked, who).map(
    ([one, same]) => `answered by ${one}: ${same.map(({ way }) => `${way.server} ${way.protocol}`).join(", ")}`,
  );
}

interface ResolvConf {
  readonly nameservers: readonly string[];
  /** The cluster's domain in the search list that kubelets give pods; undefined if the list is another. */
  readonly domain: string | undefined;
}

function readResolvConf(path: string): ResolvConf {
  const { nameservers, search } = parseResolvConf(readFileSync(path, "utf8"));
  return {
    nameservers: nameservers.filter(familyOf),
    domain: search.map((entry) => /^svc\.(.+?)\.?$/.exec(entry)?.[1]).find((domain) => domain !== undefined),
  };
}
