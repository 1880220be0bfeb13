import type { Cluster } from "../cluster/cluster";
import type { Pod, Service, Workload } from "../kubernetes/kinds";
import type { KubernetesObject } from "../kubernetes/object";
import { isOf } from "../kubernetes/pods";
import { selects } from "../kubernetes/selectors";
import type { ClusterState } from "../running/cluster-state";
import { answersDns, type Dns, findDns } from "../running/find-dns";
import { type Described, isBehind, rendered, systemPods } from "./described";
import { isBeside, isSame } from "./drift";

/** A workload of the cluster. */
interface KnownWorkload {
  readonly live: Workload;
  /** As the cluster file renders it; undefined if it does not. */
  readonly wanted: Workload | undefined;
  /** Whether it answers or caches, also as the cluster's own. */
  readonly isDns: boolean;
}

/** A cluster that is looked at: what was read of it, what it should be, and what checks ask of both. */
export class Patient {
  /** @param described Undefined without a cluster file. */
  constructor(
    readonly state: ClusterState,
    readonly described: Described | undefined,
  ) {}

  /** As it should be. */
  get cluster(): Cluster | undefined {
    return this.described?.cluster;
  }

  /** The pods of kube-system, and of the namespace of the cluster's own DNS. */
  get systemPods(): readonly Pod[] {
    return systemPods(this.state);
  }

  /** Those behind the DNS Service. */
  get dnsPods(): Pod[] {
    return this.systemPods.filter(isBehind(this.cluster));
  }

  get dns(): Dns {
    return findDns(this.state, this.cluster?.said.authoritativeDNS.service);
  }

  /** The Services that pods may ask. */
  get dnsServices(): Service[] {
    return this.dns.services.filter(answersDns);
  }

  /** What answers and caches, also the cluster's own. */
  get dnsWorkloads(): Workload[] {
    const { workloads, caches } = this.dns;
    return [...workloads, ...caches];
  }

  /** Those of the cluster file, and the cluster's DNS. */
  get ownWorkloads(): Workload[] {
    const ours = this.renderedWorkloads;
    return [...ours, ...this.dnsWorkloads.filter((each) => !ours.some((one) => isSame(one, each)))];
  }

  get workloads(): KnownWorkload[] {
    const [ours, dns] = [this.renderedWorkloads, this.dnsWorkloads];
    return (this.state.workloads ?? []).map((live) => ({
      live,
      wanted: ours.find((each) => isSame(each, live)),
      isDns: dns.includes(live),
    }));
  }

  get renderedWorkloads(): Workload[] {
    return this.rendered<Workload>("Deployment", "DaemonSet");
  }

  /** What the cluster file renders of these kinds. */
  rendered<T extends KubernetesObject>(...kinds: readonly string[]): T[] {
    return rendered<T>(this.described, ...kinds);
  }

  /** Whether a workload is missing, or scaled to 0: no pods are a consequence. */
  hasNone(workload: Workload): boolean {
    const { workloads } = this.state;
    const live = workloads?.find((each) => isSame(each, workload));
    return workloads !== undefined && (!live || live.spec.replicas === 0);
  }

  /** The pods of a workload, also those that have ended. */
  podsOf(workload: Workload): Pod[] {
    return this.systemPods.filter((pod) => isBeside(pod, workload) && isOf(workload, pod));
  }

  /** The pods with the label of one of our programs. */
  podsOfApp(app: string): Pod[] {
    return this.systemPods.filter(({ metadata }) => selects({ "k8s-app": app }, metadata));
  }
}
