import type { Sample } from "../kubernetes/samples";
import { parseServer } from "../syntax/addresses";
import { grouped } from "../syntax/grouped";
import { dense } from "../syntax/sparse";
import { atEach, finding, type Findings } from "./finding";
import type { FindingId } from "./findings";
import { outsideServers, zonesAsked } from "./outside-servers";
import type { Patient } from "./patient";
import { addressesOfClusterDns } from "./toward-cluster-dns";

// plugin/pkg/proxy/metrics.go
const answered = "coredns_proxy_request_duration_seconds_count";
const unhealthy = "coredns_proxy_healthcheck_failures_total";

/** What is read of CoreDNS's metrics. */
export const countersOfForwards: readonly string[] = [answered, unhealthy];

/** Response codes with which a server resolves nothing. */
const failures: readonly (string | undefined)[] = ["SERVFAIL", "REFUSED"];

/** Names of a domain that is broken itself are SERVFAIL from a server that works. */
const fewest = { answers: 4, share: 0.5 };

/** Servers for names outside that answer with failures, or do not answer, while the cluster is looked at. */
export function forwarded(patient: Patient): Findings {
  const own = new Set([...addressesOfClusterDns(patient), "127.0.0.1", "::1"]);
  const samples = [...patient.state.forwarded.values()].flat();
  const outside = samples.filter(
    ({ labels: { to = "", proxy_name } }) => proxy_name === "forward" && !own.has(parseServer(to)?.address ?? ""),
  );
  const found = dense(
    grouped(outside, ({ labels }) => labels["to"] ?? "").map(([server, same]) => judged(server, same)),
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

/** The server that a line of plugin `errors` names. */
export function serverIn(line: string): string | undefined {
  return /(?:->|dial \w+ )(\S+): /.exec(line)?.[1];
}

/** Whether the server answers queries that a line of plugin `errors` names. */
export function answersNow(line: string, { state }: Patient): boolean {
  const server = serverIn(line);
  const same = [...state.forwarded.values()].flat().filter(({ labels }) => labels["to"] === server);
  const { resolved, checks } = counted(same);
  return resolved >= fewest.answers && checks === 0;
}

interface Judged {
  readonly id: FindingId;
  readonly server: string;
  readonly evidence: string;
}

function judged(server: string, samples: readonly Sample[]): Judged | undefined {
  const { failed, resolved, checks, codes } = counted(samples);
  const told = (id: FindingId, what: string) => ({ id, server, evidence: `${server}: within two seconds, ${what}` });
  if (failed >= Math.max(fewest.answers, fewest.share * (failed + resolved)))
    return told("upstream-failing", `${failed} of ${failed + resolved} answers were ${codes}`);
  return checks > 0 ? told("upstream-down", `${checks} health checks were not answered`) : undefined;
}

/** What one server did. */
function counted(samples: readonly Sample[]) {
  const isFailure = ({ labels }: Sample) => failures.includes(labels["rcode"]);
  const sum = (some: readonly Sample[]) => some.reduce((all, { value }) => all + value, 0);
  const answers = samples.filter(({ name }) => name === answered);
  return {
    failed: sum(answers.filter(isFailure)),
    resolved: sum(answers.filter((each) => !isFailure(each))),
    checks: sum(samples.filter(({ name }) => name === unhealthy)),
    codes: [...new Set(answers.filter(isFailure).map(({ labels }) => labels["rcode"]))].join(", "),
  };
}
