import type { Pod } from "../kubernetes/kinds";
import { names, namespace } from "../object-names";
import type { Sparse } from "../syntax/sparse";
import type { FindingId } from "./findings";
import { forwardedBy } from "./forwarded-names";
import type { Patient } from "./patient";
import { beside, kubectl, noted, onNode, type Suggestion, type Suggestions } from "./suggestions";
import { addressesOfClusterDns, isReached, towardClusterDns } from "./toward-cluster-dns";

/** What a line of CoreDNS's log means. */
export interface Complaint {
  readonly id: FindingId;
  readonly pattern: RegExp;
  /** What the names of the pods that say it begin with; undefined: any. */
  readonly of?: string;
  /** For which names a query failed; undefined: any. */
  readonly isAbout?: (name: string) => boolean;
  readonly atLeast?: number;
  readonly atLeastPerPod?: number;
  /** What it is if each pod says it once, or the server answers others meanwhile: packets are lost. */
  readonly rarely?: FindingId;
  /** CoreDNS ends with it: the only ones that count in an earlier run, since all else may be mended. */
  readonly ends?: true;
  /** A pod that has become ready since does not have it any more. */
  readonly untilReady?: true;
  /** Packets of the pod do not come through: a network policy may be why. */
  readonly isOfNetwork?: true;
  /** It is said once, and lasts. */
  readonly isLasting?: true;
  /** What the cluster DNS itself complains about if that is the cause: it waited for another server. */
  readonly causedBy?: FindingId;
  /** What it means. */
  readonly evidence?: Sparse<string>;
  readonly next?: (said: Said) => Suggestions;
}

/** Who said it. */
interface Said {
  /** The last. */
  readonly pod: Pick<Pod, "metadata"> & Partial<Pod>;
  readonly nodes: readonly string[];
  /** Where to look at the servers for names outside. */
  readonly outside: readonly Suggestion[];
  /** What applies the cluster file, if there is one. */
  readonly apply: readonly Suggestion[];
}

/** A query that failed, as plugin `errors` writes it: what is before its name, and the name. */
export const failedQuery = /^(\[ERROR\] plugin\/errors: \d+ )((?:\\.|[^\\ ])*) (?=[\w-]+: )/;

const outside = ({ outside: steps }: Said) => steps;
const onNodes = ({ nodes }: Said, remark = "") => onNode(`on ${nodes.join(", ") || "the node"}${remark}`);
const again = ({ pod }: Said, why: string) => noted(beside(pod)`delete pod ${pod.metadata.name}`, why);
const apiServer = kubectl`get endpointslices -n default -l kubernetes.io/service-name=kubernetes`;

/** In the words of CoreDNS and of client-go, causes before what reads like them. */
export const complaints: readonly Complaint[] = [
  {
    id: "forwards-to-itself",
    pattern: /plugin\/loop: .*[Ll]oop .*detected/,
    ends: true,
    next: (said) => [
      said.outside,
      "set resolvConf or upstreamNameservers in the cluster file to a server that is not the cluster's own",
    ],
  },
  {
    id: "rights-refused",
    pattern: /is forbidden: User .* cannot (list|watch)/,
    untilReady: true,
    next: ({ pod: { metadata, spec }, apply }) => [
      kubectl`auth can-i list services --all-namespaces --as=system:serviceaccount:${metadata.namespace ?? namespace}:${spec?.serviceAccountName ?? names.authoritativeDns}`,
      kubectl`get clusterrole,clusterrolebinding system:coredns -o yaml`,
      apply,
    ],
  },
  {
    id: "resolver-unusable",
    pattern: /no (nameservers|valid upstream addresses) found/,
    ends: true,
    next: outside,
  },
  {
    // What plugins say of their setup, with which CoreDNS ends, has no level before it.
    id: "corefile-refused",
    pattern:
      /^plugin\/(?!kubernetes:)\w+: |^loading Caddyfile|Corefile:\d+ - |[Ee]rror during parsing|plugin\/reload: .*(fail|err)|Restart failed|Unknown directive|only be used once per Server Block|cannot serve .* already defined/i,
    ends: true,
    next: ({ apply }) => apply,
  },
  {
    id: "port-taken",
    pattern: /address already in use/,
    ends: true,
    next: (said) => onNodes(said)`ss -lnp sport = :53`,
  },
  {
    // What a Go program that ends says first, why or by which signal.
    id: "fatal-error",
    pattern: /^(panic|fatal error|SIG[A-Z]+): |^\[FATAL\]|plugin\/errors: .*panic/,
    ends: true,
  },
  { id: "panics", pattern: /^\[ERROR\] Recovered from panic/ },
  {
    // A server that queries are forwarded to over HTTPS has the same port.
    id: "api-unread",
    pattern:
      /^(?!\[ERROR\] plugin\/errors: ).*(?:unsynced Kubernetes API|plugin\/kubernetes: .*(connection (failure|refused)|Unable to connect|timeout)|[Ff]ailed to (list|watch).*(refused|timeout|no route|unreachable)|dial tcp .*:(6443|443): )/,
    untilReady: true,
    isOfNetwork: true,
    next: () => apiServer,
  },
  {
    // Clocks, certificates and tokens: retried for as long as the pod lives.
    id: "api-distrusted",
    pattern: /[Ff]ailed to (list|watch).*(Unauthorized|x509: |tls: )/,
    next: (said) => [
      onNodes(said, ", and on that of the API server: the same time?")`date -u`,
      again(said, "its successor has a new token, and the API server's present certificate authority"),
    ],
  },
  // The question that plugin `loop` asks at the start: without an answer it is asked again, and a busy node may take long
  // to give one.
  { id: "upstream-silent", isOfNetwork: true, pattern: /HINFO.*i\/o timeout/, atLeastPerPod: 2, next: outside },
  {
    id: "upstream-silent",
    rarely: "queries-lost",
    isOfNetwork: true,
    pattern:
      /plugin\/errors: .*(i\/o timeout|connection refused|connection reset|unreachable|cannot assign requested address|no route to host|no healthy|no such host|server misbehaving|tls: |x509: )/,
    next: outside,
  },
  { id: "queries-pile-up", pattern: /concurrent queries exceeded maximum/, next: outside },
  {
    // All watches share a connection. One that the API server closes is opened again without this line: its packets
    // were lost.
    id: "watches-lost",
    pattern: /plugin\/kubernetes: Warning: watch ended with error/,
    atLeastPerPod: 2,
    isLasting: true,
    isOfNetwork: true,
    evidence:
      "without them it stays ready, and answers from what it knew before; of a new connection the log says nothing",
    next: (said) => [
      apiServer,
      `do packets get from the pod to these and back? firewalls, network policies, routes, and sysctl net.ipv4.ip_forward of ${said.nodes.join(", ")}`,
      again(said, "its successor reads everything anew, or does not become ready"),
    ],
  },
  // One each time that the API server restarts or a watch times out.
  { id: "watches-break", pattern: /watch .*ended with|[Ff]ailed to (list|watch)/, atLeast: 4 },
  { id: "queries-fail", pattern: /plugin\/errors: \d+ /, atLeast: 4 },
];

/** Of the node's own kernel, whichever server a query was for. */
const complaintsOfKernels: readonly Complaint[] = [
  {
    // A rule of the output hook drops the packet.
    id: "node-firewall",
    pattern: /: (write|connect|send\w+): operation not permitted/,
    next: (said) => onNodes(said, ": a rule that drops port 53 on output")`nft list ruleset`,
  },
  {
    // Without a free port, TCP and UDP say it otherwise. To an IPv6 server, the first means that the pod has no IPv6; of a
    // listener, that the address is not on the node.
    id: "kernel-exhausted",
    pattern:
      /dial \w+ [\d.]+:\d+: connect: cannot assign requested address|: (connect: resource temporarily unavailable|too many open files|no buffer space available)/,
    next: (said) => [
      onNodes(said, ": how many ports?")`sysctl net.ipv4.ip_local_port_range`,
      onNodes(said, ": who has them?")`ss -s`,
      "widen that range, or raise the limit of open files of the container runtime's service",
    ],
  },
];

/** All that are known, causes before what reads like them. */
export function knownComplaints(patient: Patient): readonly Complaint[] {
  return [...complaintsOfKernels, ...complaintsOfCaches(patient), ...complaints];
}

/** Caches ask for the names of the cluster at addresses of it. */
function complaintsOfCaches(patient: Patient): Complaint[] {
  const addresses = addressesOfClusterDns(patient);
  if (addresses.length === 0) return [];
  const any = addresses.map((address) => address.replaceAll(".", "\\.")).join("|");
  const onlyTCP =
    "watchdogs get answers by UDP: if all these lines are of TCP (dial tcp), perhaps something drops only TCP on the way";
  const silent: Complaint = {
    id: "cluster-dns-silent",
    rarely: "queries-lost",
    pattern: new RegExp(`plugin/errors: .*(dial \\w+ |->)\\[?(${any})\\]?:53: `),
    of: `${names.nodeLocalDns}-`,
    evidence: [isReached(patient) && onlyTCP, towardClusterDns([], patient).evidence],
    next: ({ nodes }) => towardClusterDns(nodes.slice(0, 3), patient).next,
  };
  const late = new RegExp(`plugin/errors: .*->\\[?(${any})\\]?:53: i/o timeout`);
  return [{ ...silent, pattern: late, isAbout: forwardedBy(patient), causedBy: "upstream-silent" }, silent];
}
