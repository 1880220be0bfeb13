import type { ContainerStatus, Pod } from "../model/kubernetes/kinds";
import { containersOf, isReady, placeOf, portOf } from "../model/kubernetes/pods";
import { names } from "../model/object-names";
import { cacheMetricsPort } from "../model/corefile/node-local-dns";
import { linesOfEach, sinceMinutes } from "../model/doctor/logs";
import type { ClusterState, Page } from "../model/running/cluster-state";
import { type Described, isBehind, systemPods } from "../model/doctor/described";
import { isUp } from "../model/doctor/placed";

export function pagesToRead(
  state: Pick<ClusterState, "nodes" | "pods" | "dnsNamespaces">,
  described: Described | undefined,
): Page[] {
  const { nodes = [] } = state;
  // Kubelets that are down say nothing of their pods either.
  const up = nodes.filter(isUp).map(({ metadata }) => metadata.name);
  const down = new Set(nodes.filter((node) => !isUp(node)).map(({ metadata }) => metadata.name));
  const own = systemPods(state).filter(
    ({ spec, status }) => !silent.includes(status?.phase) && !down.has(spec.nodeName ?? ""),
  );
  const ofApp = (app: string) => own.filter(isOfApp(app));
  const read = new Set([
    ...own.filter(isBehind(described?.cluster)),
    ...[names.nodeLocalDns, names.watchdog].flatMap(ofApp),
  ]);
  const lines = linesOfEach(state);
  const log = (pod: Pod, { name }: { readonly name: string }, run?: "previous") => logOf(pod, name, lines, run);
  const hasKubeProxy = described?.cluster.said.kubeProxyMode !== "none";
  return [
    ...up.flatMap((name): Page[] => [
      pageOf("kubelet", name, "configuration", `/api/v1/nodes/${name}/proxy/configz`),
      // Its /healthz also fails on a node that is about to be deleted (pkg/proxy/healthcheck).
      ...(hasKubeProxy ? [pageOf("kube-proxy", name, "health", `/api/v1/nodes/http:${name}:10256/proxy/livez`)] : []),
    ]),
    ...[...ofApp(names.watchdog), ...ofApp(names.webhook)].flatMap((pod) => metricsOf(pod, described)),
    ...[...read].flatMap((pod) => [
      // Init containers only if they are in its way.
      ...(isReady(pod) ? pod.spec.containers : containersOf(pod.spec)).map((each) => log(pod, each)),
      ...startedAgain(pod).map((each) => log(pod, each, "previous")),
    ]),
    // Of what else crashes, why.
    ...own.filter((pod) => !read.has(pod)).flatMap((pod) => crashing(pod).map((each) => log(pod, each))),
  ];
}

/** Where some CoreDNS and caches count what the servers answer that they ask. */
export function pagesOfForwards(
  state: Pick<ClusterState, "pods" | "dnsNamespaces">,
  described: Described | undefined,
): Page[] {
  const ready = systemPods(state).filter(isReady);
  const some = [isBehind(described?.cluster), isOfApp(names.nodeLocalDns)].flatMap((isOne) =>
    ready.filter(isOne).slice(0, fewOfEach),
  );
  return some.flatMap((pod) => metricsOf(pod, described));
}

/** What two seconds of these say holds for the others, too. */
const fewOfEach = 8;

function isOfApp(app: string): (pod: Pod) => boolean {
  return ({ metadata }) => metadata.labels?.["k8s-app"] === app;
}

function pageOf(kind: "kubelet" | "kube-proxy", name: string, what: string, path: string): Page {
  return { kind, name, node: name, container: "", what: `the ${kind}'s ${what} of ${name}`, path };
}

function crashing({ status: { initContainerStatuses = [], containerStatuses = [] } = {} }: Pod): ContainerStatus[] {
  return [...initContainerStatuses, ...containerStatuses].filter(
    ({ state }) => state?.waiting?.reason === "CrashLoopBackOff",
  );
}

/** Of a pod that has not started, or that was evicted, nodes have no log. */
const silent: readonly (string | undefined)[] = ["Pending", "Succeeded", "Failed"];

/** None for programs that only their own node can ask. */
function metricsOf(pod: Pod, described: Described | undefined): Page[] {
  const { metadata, spec, status } = pod;
  const { name, namespace } = metadata;
  const { address, port: configured } = described?.cluster.components.watchdog?.config.metrics ?? {};
  const isWatchdog = isOfApp(names.watchdog)(pod);
  const known = isWatchdog ? configured : isOfApp(names.nodeLocalDns)(pod) ? cacheMetricsPort : undefined;
  const port = portOf(spec, "metrics") ?? known;
  if (port === undefined || status?.podIP === undefined || (isWatchdog && address === "127.0.0.1")) return [];
  const path = `/api/v1/namespaces/${namespace}/pods/${name}:${port}/proxy/metrics`;
  const what = `metrics of pod ${placeOf(pod)}`;
  return [{ kind: "metrics", name, node: spec.nodeName, container: "", what, path, port }];
}

/** The log of one that waits to be started again is that of its last run already. */
function startedAgain({ status }: Pod): readonly ContainerStatus[] {
  const ended = ({ lastState }: ContainerStatus) => (lastState?.terminated?.exitCode ?? 0) !== 0;
  return (status?.containerStatuses ?? []).filter((each) => each.state?.running && ended(each));
}

function logOf(pod: Pod, container: string, lines: number, run: "previous" | undefined): Page {
  const { name, namespace } = pod.metadata;
  const query = `container=${container}&sinceSeconds=${sinceMinutes * 60}&tailLines=${lines}&timestamps=true${run ? "&previous=true" : ""}`;
  return {
    kind: "log",
    name,
    node: pod.spec.nodeName,
    container: run ? `${container} --previous` : container,
    ...(run && { run }),
    what: `the log of pod ${placeOf(pod)}, ${container}`,
    path: `/api/v1/namespaces/${namespace}/pods/${name}/log?${query}`,
  };
}
