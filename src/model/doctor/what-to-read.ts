import type { Container, ContainerStatus, Node, Pod } from "../kubernetes/kinds";
import { isReady, placeOf } from "../kubernetes/pods";
import { authoritativeLabels, names, namespace } from "../object-names";
import { maxLines, sinceMinutes } from "./logs";
import type { Described } from "./observed";

/** A page that says more about one node or pod; all are read through the API server. */
export interface Page {
  readonly kind: "kubelet" | "metrics" | "log";
  /** The node or the pod. */
  readonly name: string;
  readonly container: string;
  readonly what: string;
  readonly path: string;
}

/** What to read beyond objects. */
export function pagesToRead(nodes: readonly Node[], pods: readonly Pod[], described: Described | undefined): Page[] {
  const own = pods.filter(({ metadata, status }) => metadata.namespace === namespace && runs(status?.phase));
  const ofApp = (app: string) => own.filter(({ metadata }) => metadata.labels?.["k8s-app"] === app);
  return [
    ...nodes.filter(isUp).map(({ metadata: { name } }): Page => ({
      kind: "kubelet",
      name,
      container: "",
      what: `the kubelet's configuration of ${name}`,
      path: `/api/v1/nodes/${name}/proxy/configz`,
    })),
    ...[...ofApp(names.watchdog), ...ofApp(names.webhook)].flatMap((pod) => metricsOf(pod, described)),
    ...[authoritativeLabels["k8s-app"], names.nodeLocalDns, names.watchdog].flatMap((app) =>
      ofApp(app).flatMap((pod) => [
        ...toRead(pod).map(({ name }) => logOf(pod, name)),
        ...startedAgain(pod).map(({ name }) => logOf(pod, name, "previous")),
      ]),
    ),
  ];
}

/** Of a pod that has not started, or that was evicted, nodes have no log. */
function runs(phase: string | undefined): boolean {
  return phase !== "Pending" && phase !== "Succeeded" && phase !== "Failed";
}

/** None for programs that only their own node can ask. */
function metricsOf(pod: Pod, described: Described | undefined): Page[] {
  const {
    metadata: { name, labels },
    spec,
    status,
  } = pod;
  const { address, port: configured } = described?.cluster.components.watchdog?.config.metrics ?? {};
  const isWatchdog = labels?.["k8s-app"] === names.watchdog;
  const named = spec.containers.flatMap(({ ports = [] }) => ports).find((port) => port.name === "metrics");
  const port = named?.containerPort ?? (isWatchdog ? configured : undefined);
  if (port === undefined || status?.podIP === undefined || (isWatchdog && address === "127.0.0.1")) return [];
  const path = `/api/v1/namespaces/${namespace}/pods/${name}:${port}/proxy/metrics`;
  return [{ kind: "metrics", name, container: "", what: `metrics of pod ${placeOf(pod)}`, path }];
}

/** Its init containers only if they are in its way. */
function toRead(pod: Pod): readonly Container[] {
  const { initContainers = [], containers } = pod.spec;
  return isReady(pod) ? containers : [...initContainers, ...containers];
}

/** The log of one that waits to be started again is that of its last run already. */
function startedAgain({ status }: Pod): readonly ContainerStatus[] {
  const ended = ({ lastState }: ContainerStatus) => (lastState?.terminated?.exitCode ?? 0) !== 0;
  return (status?.containerStatuses ?? []).filter((each) => each.state?.running && ended(each));
}

function logOf(pod: Pod, container: string, run?: "previous"): Page {
  const { name } = pod.metadata;
  const query = `container=${container}&sinceSeconds=${sinceMinutes * 60}&tailLines=${maxLines}&timestamps=true${run ? "&previous=true" : ""}`;
  return {
    kind: "log",
    name,
    container: run ? `${container} --previous` : container,
    what: `the log of pod ${placeOf(pod)}, ${container}`,
    path: `/api/v1/namespaces/${namespace}/pods/${name}/log?${query}`,
  };
}

function isUp({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? true;
}
