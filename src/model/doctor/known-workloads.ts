import type { Pod, Workload } from "../kubernetes/kinds";
import { isOf } from "../kubernetes/pods";
import { selects } from "../kubernetes/selectors";
import type { ClusterState } from "../running/cluster-state";
import { findDns } from "../running/find-dns";
import { type Described, rendered, systemPods } from "./described";
import { isBeside, isSame } from "./drift";

/** A workload of the cluster, as the checks see it. */
interface KnownWorkload {
  readonly live: Workload;
  /** As the cluster file renders it; undefined if it does not. */
  readonly wanted: Workload | undefined;
  /** Whether it answers or caches, also as the cluster's own. */
  readonly isDns: boolean;
}

export function knownWorkloads(state: ClusterState, described: Described | undefined): KnownWorkload[] {
  const ours = renderedWorkloads(described);
  const dns = dnsWorkloads(state, described);
  return (state.workloads ?? []).map((live) => ({
    live,
    wanted: ours.find((each) => isSame(each, live)),
    isDns: dns.includes(live),
  }));
}

/** What answers and caches, also the cluster's own. */
export function dnsWorkloads(state: ClusterState, described: Described | undefined): readonly Workload[] {
  const { workloads, caches } = findDns(state, described?.cluster.dnsService);
  return [...workloads, ...caches];
}

export function renderedWorkloads(described: Described | undefined): Workload[] {
  return rendered<Workload>(described, "Deployment", "DaemonSet");
}

/** Those that there are of a workload, also ones that have ended. */
export function podsOf(workload: Workload, state: ClusterState): Pod[] {
  return systemPods(state).filter((pod) => isBeside(pod, workload) && isOf(workload, pod));
}

/** Those with the label of one of our programs. */
export function podsOfApp(app: string, state: ClusterState): Pod[] {
  return systemPods(state).filter(({ metadata }) => selects({ "k8s-app": app }, metadata));
}
