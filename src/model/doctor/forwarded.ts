import type { Sample } from "../kubernetes/samples";
import type { Complained } from "../running/log-facts";
import { parseServer } from "../syntax/addresses";
import { grouped } from "../syntax/grouped";
import { atEach, finding, type Findings } from "./finding";
import type { FindingId } from "./findings";
import { alternatives, outsideServers, zonesAsked } from "./outside-servers";
import type { Patient } from "./patient";
import { addressesOfClusterDns } from "./toward-cluster-dns";

// plugin/pkg/proxy/metrics.go
const answered = "coredns_proxy_request_duration_seconds_count";
const waited = "coredns_proxy_request_duration_seconds_sum";
const unhealthy = "coredns_proxy_healthcheck_failures_total";

/**
 * Between two readings. CoreDNS asks servers that fail again twice a second, and waits a second for an answer
 * (plugin/pkg/proxy/health.go).
 */
export const lookedSeconds = 2;

/** What is read of CoreDNS's metrics. */
export const countersOfForwards: readonly string[] = [answered, waited, unhealthy];

/** Response codes of names that a server knows, or knows not to exist. */
const resolvedCodes: readonly (string | undefined)[] = ["NOERROR", "NXDOMAIN"];

/** Of a server's answers, how many failures are a finding, how many are not of one name, and which share. */
const fewest = { answers: 4, certain: 12, share: 0.5 };

/** Half of what CoreDNS waits for an answer (plugin/forward, `read_timeout`). */
const lateSeconds = 1;

/** Of a server's answers, how many more may have been lost on their way. */
const lostShare = 0.01;

/** A server that is asked all the time, and does not answer, is told of again within this time. */
const overSeconds = 15;

/** Servers for names outside that answer with failures, or do not answer, while the cluster is looked at. */
export function forwarded(patient: Patient): Findings {
  const own = new Set([...addressesOfClusterDns(patient), "127.0.0.1", "::1"]);
  const samples = [...patient.state.forwarded.values()].flat();
  const outside = samples.filter(
    ({ labels: { to, proxy_name } }) =>
      to !== undefined && proxy_name === "forward" && !own.has(parseServer(to)?.address ?? ""),
  );
  const all = grouped(outside, ({ labels }) => labels["to"] ?? "").map(([server, same]) => ({
    server,
    ...counted(same),
  }));
  const judged = all.map((each) => judge(each, all));
  const downs = all.flatMap(({ server, checks, resolved }) => (checks > 0 && resolved === 0 ? server : []));
  const servers = judged.map(({ server }) => server);
  const without = new Set(
    alternatives(servers, patient.described)
      .filter((each) => isSubset(each, downs))
      .flat(),
  );
  const found = judged.flatMap(({ id, ...told }) =>
    id ? { ...told, id: without.has(told.server) ? ("no-upstream" as const) : id } : [],
  );
  return grouped(found, ({ id }) => id).map(([id, same]) =>
    finding(
      id,
      atEach(same.map(({ server }) => server)),
      [
        same.map(({ evidence }) => evidence),
        zonesAsked(
          same.map(({ server }) => server),
          patient.described,
        ),
      ],
      outsideServers(patient.described),
    ),
  );
}

function isSubset(some: readonly string[], all: readonly string[]): boolean {
  return some.length > 0 && some.every((each) => all.includes(each));
}

/** The server that a line of plugin `errors` names. */
export function serverIn(line: string): string | undefined {
  return /(?:->|dial \w+ )(\S+): /.exec(line)?.[1];
}

/** The lines of plugin `errors` in one log. */
interface Lines extends Complained {
  readonly pod: string;
  readonly isCut: boolean;
}

/**
 * What lines are where the server that the last names answers the same pod: `few` beside its answers, as of lost packets,
 * or of an outage that is `over`. Undefined: it lasts.
 */
export function lossOf(lines: Lines, sinceMinutes: number, patient: Patient): "few" | "over" | undefined {
  const { count, isCut, time, since } = lines;
  const { resolved, checks } = ofServer(lines, patient);
  if (isCut || checks > 0 || resolved === 0) return undefined;
  const secondsSince = (moment: number) => (patient.state.now.getTime() - moment) / 1000;
  const seconds = since === undefined ? sinceMinutes * 60 : secondsSince(since);
  if (count <= (lostShare * resolved * seconds) / lookedSeconds) return "few";
  return time !== undefined && secondsSince(time) > overSeconds ? "over" : undefined;
}

/** The server that the last line names, if it answers the same pod meanwhile. */
export function answeringServer(lines: Pick<Lines, "text" | "pod">, patient: Patient): string | undefined {
  const { resolved } = ofServer(lines, patient);
  return resolved > 0 ? serverIn(lines.text) : undefined;
}

function ofServer({ text, pod }: Pick<Lines, "text" | "pod">, { state }: Patient) {
  const server = serverIn(text);
  return counted((state.forwarded.get(pod) ?? []).filter(({ labels }) => labels["to"] === server));
}

interface Judged {
  /** Undefined: nothing is wrong with it. */
  readonly id?: FindingId;
  readonly server: string;
  readonly evidence: string;
}

function judge(one: Answers, all: readonly Answers[]): Judged {
  const { server, failed, resolved, seconds, checks, codes } = one;
  const within = `${server}: within ${lookedSeconds} seconds`;
  const evidence = `${within}, ${failed} of ${failed + resolved} answers were ${codes.join(", ")}`;
  if (failed >= Math.max(fewest.answers, fewest.share * (failed + resolved)))
    return mayBeOfOneName(one, all)
      ? { id: "names-failing", server, evidence: `${evidence}: perhaps of one broken name, which nothing caches` }
      : { id: "upstream-failing", server, evidence };
  const unanswered = `${within}, ${checks === 1 ? "a health check was" : `${checks} health checks were`} not answered`;
  if (checks > 0) return { id: "upstream-down", server, evidence: unanswered };
  const mean = seconds / (failed + resolved);
  const isLate = failed + resolved >= fewest.answers && mean >= lateSeconds;
  const late = `${within}, ${failed + resolved} answers took ${mean.toFixed(1)} s each`;
  return { ...(isLate && { id: "upstream-slow" }), server, evidence: late };
}

/** Names of a domain that is broken itself are SERVFAIL from each server, and asked for again and again. */
function mayBeOfOneName({ failed, codes }: Answers, all: readonly Answers[]): boolean {
  const isFew = failed < fewest.certain && codes.every((code) => code === "SERVFAIL");
  return isFew && !all.some((other) => other.failed === 0 && other.resolved >= fewest.answers);
}

interface Answers {
  readonly server: string;
  readonly failed: number;
  readonly resolved: number;
  /** That all its answers took together. */
  readonly seconds: number;
  /** Health checks that were not answered. */
  readonly checks: number;
  /** With which it failed. */
  readonly codes: readonly (string | undefined)[];
}

/** What one server did. */
function counted(samples: readonly Sample[]): Omit<Answers, "server"> {
  const isFailure = ({ labels }: Sample) => !resolvedCodes.includes(labels["rcode"]);
  const sum = (some: readonly Sample[]) => some.reduce((all, { value }) => all + value, 0);
  const answers = samples.filter(({ name, value }) => name === answered && value > 0);
  return {
    failed: sum(answers.filter(isFailure)),
    resolved: sum(answers.filter((each) => !isFailure(each))),
    seconds: sum(samples.filter(({ name }) => name === waited)),
    checks: sum(samples.filter(({ name }) => name === unhealthy)),
    codes: [...new Set(answers.filter(isFailure).map(({ labels }) => labels["rcode"]))],
  };
}
