import type { Pod, Service } from "../kubernetes/kinds";
import { nodesOf, placeOf } from "../kubernetes/pods";
import { names, namespace } from "../object-names";
import { type Finding, grouped, type Severity, some } from "./finding";
import { type LogLine, logLines } from "./log-lines";
import { type Described, type Observed, systemPods } from "./observed";
import { outsideServers } from "./outside-servers";
import { isDnsService } from "./services";
import { towardClusterDns } from "./toward-cluster-dns";

/** What CoreDNS complains about in the logs that were read. */
export function logs(observed: Observed, described?: Described): Finding[] {
  const complaints = [...ofCaches(observed, described), ...anywhere(outsideServers(described))];
  const readyTimes = new Map(systemPods(observed).map((pod) => [pod.metadata.name, readyTime(pod)]));
  const lines = [...observed.logs].flatMap(([pod, containers]) =>
    [...containers].flatMap(([container, log]) => {
      const all = logLines(log);
      const readySince = readyTimes.get(pod);
      return all.map((line) => ({ ...line, pod, container, readySince, isCut: all.length >= maxLines }));
    }),
  );
  // Each line once, by the first that knows it: the cause of the others.
  const complaintOf = ({ pod, container, text, time, readySince }: (typeof lines)[number]) => {
    const said = withoutQuery(text);
    const complaint = complaints.find(({ pattern, of = "" }) => pod.startsWith(of) && pattern.test(said));
    const isMended = container.endsWith(" --previous")
      ? complaint?.ends !== true
      : complaint?.untilReady === true && time !== undefined && readySince !== undefined && time < readySince;
    return isMended ? undefined : complaint;
  };
  const told = new Map(grouped(lines, complaintOf));
  return complaints.flatMap((complaint): Finding[] => {
    const { severity, title, atLeast = 1, atLeastPerPod = 1, more } = complaint;
    const same = grouped(told.get(complaint) ?? [], ({ pod }) => pod).flatMap(([, ofPod]) =>
      ofPod.length >= atLeastPerPod ? ofPod : [],
    );
    const last = lastOf(same);
    if (!last || same.length < atLeast) return [];
    const saying = [...new Set(same.map(({ pod }) => pod))];
    const pods = systemPods(observed).filter(({ metadata }) => saying.includes(metadata.name));
    const nodes = nodesOf(pods);
    const { evidence = [], next = [] } = more?.({ pod: last.pod, nodes, texts: same.map(({ text }) => text) }) ?? {};
    const isCut = same.some((each) => each.isCut);
    return [
      {
        severity,
        title,
        nodes,
        where: `log of ${some(saying.map((name) => podNamed(name, pods)))}`,
        evidence: [
          `${isCut ? "at least " : ""}${same.length === 1 ? "once" : `${same.length} times`} in ${sinceMinutes} minutes, last${when(last, observed)}: ${last.text.trim().slice(0, 400)}`,
          ...evidence,
        ],
        next: [
          `kubectl logs ${last.pod} -n ${namespace} -c ${last.container} --since=${sinceMinutes}m --timestamps`,
          ...next,
        ],
      },
    ];
  });
}

function lastOf<T extends LogLine>(lines: readonly T[]): T | undefined {
  return lines.reduce<T | undefined>(
    (last, each) => (last?.time && each.time && each.time < last.time ? last : each),
    undefined,
  );
}

/** What was mended since is still in the log. */
function when({ time }: LogLine, { now }: Observed): string {
  if (!time) return "";
  const minutes = Math.max(0, Math.floor((now.getTime() - time.getTime()) / 60_000));
  return ` at ${time.toISOString().replace(/\.\d+/, "")}, ${minutes} min ago`;
}

function podNamed(name: string, pods: readonly Pod[]): string {
  const pod = pods.find(({ metadata }) => metadata.name === name);
  return `pod ${pod ? placeOf(pod) : `${namespace}/${name}`}`;
}

function readyTime({ status }: Pod): Date | undefined {
  const ready = status?.conditions?.find(({ type, status: is }) => type === "Ready" && is === "True");
  return ready?.lastTransitionTime === undefined ? undefined : new Date(ready.lastTransitionTime);
}

/** A query that failed, as plugin `errors` writes it: what is before its name, and the name. */
const failedQuery = /^(\[ERROR\] plugin\/errors: \d+ )((?:\\.|[^\\ ])*) (?=[\w-]+: )/;

/** Without the name in a query, which any pod may choose: a name may read like a complaint. */
function withoutQuery(line: string): string {
  // Queries as plugin `log` writes them.
  if (/^\[INFO\] (?!plugin\/)/.test(line)) return "";
  return line.replace(failedQuery, "$1");
}

/** A name whose own servers are silent looks like a silent resolver; any pod may ask for one. */
function ofOneName(texts: readonly string[]): string[] {
  const isTimeout = texts.every((text) => text.includes("i/o timeout"));
  const [name, ...more] = new Set(texts.map((text) => failedQuery.exec(text)?.[2]?.toLowerCase()));
  return isTimeout && name !== undefined && more.length === 0
    ? [`all for one name, ${name.slice(0, 253)}: perhaps nobody answers for it, and all other names resolve`]
    : [];
}

/** How far back logs are read. */
export const sinceMinutes = 10;

/** How many lines are read of each container, the last ones. */
export const maxLines = 1000;

interface Complaint {
  readonly pattern: RegExp;
  /** What the names of the pods that say it begin with; undefined: any. */
  readonly of?: string;
  readonly severity: Severity;
  readonly title: string;
  readonly atLeast?: number;
  readonly atLeastPerPod?: number;
  /** CoreDNS ends with it: the only ones that count in an earlier run, since all else may be mended. */
  readonly ends?: true;
  /** A pod that has become ready since does not have it any more. */
  readonly untilReady?: true;
  /** What it means, and what to do: of the pod that said it last, and of all nodes. */
  readonly more?: (said: {
    readonly pod: string;
    readonly nodes: readonly string[];
    readonly texts: readonly string[];
  }) => {
    readonly evidence?: readonly string[];
    readonly next: readonly string[];
  };
}

/** Caches ask for the names of the cluster at addresses of it. */
function ofCaches(observed: Observed, described: Described | undefined): Complaint[] {
  const { clusterServers } = described?.cluster.queryPath ?? {};
  const isAsked = (service: Service) => isDnsService(service) || service.metadata.name === names.upstreamService;
  const addresses = [
    ...(described?.cluster.clusterDNS ?? []),
    ...(Array.isArray(clusterServers) ? (clusterServers as readonly string[]) : []),
    ...(observed.services ?? []).filter(isAsked).flatMap(({ spec }) => spec.clusterIPs ?? []),
  ];
  if (addresses.length === 0) return [];
  const any = addresses.map((address) => address.replaceAll(".", "\\.")).join("|");
  return [
    {
      pattern: new RegExp(`plugin/errors: .*(dial \\w+ |->)\\[?(${any})\\]?:53: `),
      of: `${names.nodeLocalDns}-`,
      severity: "warning",
      title: "the cache does not get answers from the cluster DNS",
      more: ({ nodes }) => towardClusterDns(nodes.slice(0, 3), observed, described),
    },
  ];
}

/** HINFO is the question that the plugin `loop` asks at the start, which goes outside. */
const outside = (servers: readonly string[]): Omit<Complaint, "pattern"> => ({
  severity: "warning",
  title: "the servers for names outside do not answer",
  more: () => ({ next: servers }),
});

/** In the words of CoreDNS and of client-go. */
const anywhere = (servers: readonly string[]): readonly Complaint[] => [
  {
    pattern: /plugin\/loop: .*[Ll]oop .*detected/,
    severity: "error",
    title: "CoreDNS forwards to itself, and ends because of it",
    ends: true,
    more: () => ({
      next: [
        ...servers,
        "# set resolvConf or upstreamNameservers in the cluster file to a server that is not the cluster's own",
      ],
    }),
  },
  {
    pattern: /is forbidden: User .* cannot (list|watch)/,
    severity: "error",
    title: "CoreDNS may not read the cluster's objects (RBAC)",
    untilReady: true,
    more: () => ({
      next: [
        "kubectl auth can-i list services --all-namespaces --as=system:serviceaccount:kube-system:coredns",
        "kubectl get clusterrole,clusterrolebinding system:coredns -o yaml",
      ],
    }),
  },
  {
    pattern: /Corefile:\d+ - |[Ee]rror during parsing|plugin\/reload: .*(fail|err)|Restart failed|Unknown directive/i,
    severity: "error",
    title: "CoreDNS cannot read its Corefile",
    ends: true,
  },
  {
    pattern: /address already in use/,
    severity: "error",
    title: "another program has the port",
    ends: true,
    more: () => ({ next: ["ss -lnp sport = :53  # on the node"] }),
  },
  {
    // What a Go program that ends says first, why or by which signal.
    pattern: /^(panic|fatal error|SIG[A-Z]+): |^\[FATAL\]|plugin\/errors: .*panic/,
    severity: "error",
    title: "CoreDNS ended with a fatal error",
    ends: true,
  },
  {
    pattern: /^\[ERROR\] Recovered from panic/,
    severity: "warning",
    title: "CoreDNS panics over queries, and answers them with SERVFAIL",
  },
  {
    // A server that queries are forwarded to over HTTPS has the same port.
    pattern:
      /^(?!\[ERROR\] plugin\/errors: ).*(?:unsynced Kubernetes API|plugin\/kubernetes: .*(connection (failure|refused)|Unable to connect|timeout)|[Ff]ailed to (list|watch).*(refused|timeout|no route|unreachable)|dial tcp .*:(6443|443): )/,
    severity: "error",
    title: "CoreDNS has not read the cluster's objects from the API server",
    untilReady: true,
    more: () => ({ next: ["kubectl get endpointslices -n default -l kubernetes.io/service-name=kubernetes"] }),
  },
  { ...outside(servers), pattern: /HINFO.*(refused|unreachable|no route|no such host)/ },
  // Without an answer it is asked again, and a busy node may take long to give one.
  { ...outside(servers), pattern: /HINFO.*i\/o timeout/, atLeastPerPod: 2 },
  {
    pattern:
      /plugin\/errors: .*(i\/o timeout|connection refused|unreachable|no route to host|no healthy|no such host|server misbehaving)/,
    severity: "warning",
    title: "a server that queries are forwarded to does not answer",
    more: ({ texts }) => ({ evidence: ofOneName(texts), next: servers }),
  },
  {
    // All watches share a connection. One that the API server closes is opened again without this line: its packets
    // were lost.
    pattern: /plugin\/kubernetes: Warning: watch ended with error/,
    severity: "warning",
    title: "CoreDNS lost its watches of the API server",
    atLeastPerPod: 2,
    more: ({ pod, nodes }) => ({
      evidence: [
        "without them it stays ready, and answers from what it knew before; of a new connection the log says nothing",
      ],
      next: [
        "kubectl get endpointslices -n default -l kubernetes.io/service-name=kubernetes",
        `# do packets get from the pod to these and back? firewalls, network policies, routes, and sysctl net.ipv4.ip_forward of ${nodes.join(", ")}`,
        `kubectl delete pod ${pod} -n ${namespace}  # its successor reads everything anew, or does not become ready`,
      ],
    }),
  },
  {
    // One each time that the API server restarts or a watch times out.
    pattern: /watch .*ended with|[Ff]ailed to (list|watch)/,
    severity: "warning",
    title: "watches of the API server break",
    atLeast: 4,
  },
  {
    pattern: /plugin\/errors: \d+ /,
    severity: "warning",
    title: "CoreDNS fails to answer queries",
    atLeast: 4,
  },
];
