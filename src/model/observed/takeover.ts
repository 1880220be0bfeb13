import { differences } from "../kubernetes/differences";
import type { Service, Workload } from "../kubernetes/kinds";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { authoritativeLabels, isOurs, names, namespace } from "../object-names";
import { answersDns, hasOurPods } from "../running/find-dns";
import { ownerOf } from "../running/owner";
import { type Found, nothing } from "./finding";

/** What is to be done about objects that applying ours does not replace in place. */

/**
 * The DNS workloads, of which only the first is read.
 * @param isKept Whether they stay, left to their owner.
 */
export function workloadsInTheWay([read, ...others]: readonly Workload[], isKept: boolean): Found {
  if (!read) return nothing;
  const become = (workload: Workload) => (isKept ? [] : whatAboutWorkload(workload, read.kind, workload === read));
  return listed([
    ...become(read).map((what) => `${identity(read)}: ${what}`),
    ...others
      .filter((each) => !isOurs(each))
      .map((each) => `${identity(each)}: ${["a second DNS workload, which is not read", ...become(each)].join("; ")}`),
  ]);
}

/**
 * @param kind That of ours.
 * @param isAnswering Whether it is what answers today.
 */
function whatAboutWorkload(workload: Workload, kind: string, isAnswering: boolean): string[] {
  if (isOurs(workload)) return [];
  const { name, namespace: own = namespace } = workload.metadata;
  if (kind !== workload.kind || name !== names.authoritativeDns || own !== namespace) {
    const owner = ownerOf(workload);
    const what = owner ? `turn it off at ${owner.name}` : "delete it";
    if (hasOurPods(workload)) return [`runs beside ours, and both answer; ${what} once ours runs`];
    return [`runs beside ours; ${isAnswering ? `${serviceLast}, then ${what}` : `${what} once ours runs`}`];
  }
  if (hasSelector(workload, authoritativeLabels)) return [];
  const what = hasOurPods(workload)
    ? ", which takes over its pods"
    : `; ${serviceLast}, then delete its ${kind === "Deployment" ? "ReplicaSets" : "pods"}`;
  return [
    `its selector is not that of ours, and cannot change: delete it with --cascade=orphan right before ours is applied${what}`,
  ];
}

/** Otherwise the Service would leave the pods that answer for ours, which do not yet. */
const serviceLast =
  "its pods have no label k8s-app: kube-dns, so apply our Service kube-dns, which goes by that, only once ours is ready";

function hasSelector({ spec }: KubernetesObject, matchLabels: object): boolean {
  const ours = { matchLabels };
  const { selector = ours } = (spec ?? {}) as { selector?: object };
  return differences(selector, ours).length === 0;
}

/** A DNS Service whose pods come from none of the objects. */
export function withoutWorkload(service: Service): Found {
  const labels = Object.entries(service.spec.selector ?? {}).map(([label, value]) => `${label}: ${value}`);
  if (labels.length === 0) return nothing;
  return listed([
    `${identity(service)}: no Deployment or DaemonSet among the objects has its pods (${labels.join(", ")}), so none was read`,
  ]);
}

/**
 * The DNS Services, of which the first is read. Two cannot have the same cluster IP.
 * @param isKept Whether they stay, left to their owner.
 */
export function servicesInTheWay([read, ...others]: readonly Service[], isKept: boolean): Found {
  if (!read) return nothing;
  return listed([
    ...(isKept || read.metadata.name === names.dnsService
      ? []
      : [`${identity(read)}: we name the Service kube-dns; delete this one first`]),
    ...others
      .filter((each) => answersDns(each) && !isOurs(each))
      .map(
        (each) =>
          `${identity(each)}: serves DNS as well; clusterDNS is the address of ${identity(read)}: correct it if pods ask this one`,
      ),
  ]);
}

/** @param hasCache Whether the cluster file has a cache. */
export function nodeCache(daemonSet: KubernetesObject, hasCache: boolean): Found {
  if (isOurs(daemonSet)) return nothing;
  const what = hasCache ? whatAboutCache(daemonSet) : ", which stays as it is: the cluster file has none";
  return listed([`${identity(daemonSet)}: an existing node cache${what}`]);
}

/** With our name, it becomes ours when ours is applied: to delete it afterwards would delete ours. */
function whatAboutCache(daemonSet: KubernetesObject): string {
  const owner = ownerOf(daemonSet);
  if (daemonSet.metadata.name !== names.nodeLocalDns)
    return owner ? ` of ${owner.name}; turn it off there once ours runs` : "; delete it once ours runs";
  const what = hasSelector(daemonSet, { "k8s-app": names.nodeLocalDns })
    ? "which takes its place: do not delete it"
    : "and another selector, which cannot change: delete it right before ours is applied";
  // The manifest of Kubernetes has an addon manager's label, and is used without one.
  const first = owner
    ? `; if ${owner.name} still has it (${owner.mark}), turn it off there first: later, that would delete ours`
    : "";
  return ` with the name of ours, ${what}${first}`;
}

export function autoscaler(deployment: KubernetesObject): Found {
  if (isOurs(deployment)) return nothing;
  return listed([`${identity(deployment)}: set authoritativeDNS.autoscaler instead of replicas, and delete it`]);
}

function listed(unsaid: readonly string[]): Found {
  return { findings: [], unsaid };
}
