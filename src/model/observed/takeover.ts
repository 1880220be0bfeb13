import { differences } from "../changes/differences";
import { authoritativeLabels, names, namespace } from "../object-names";
import { answersDNS } from "./dns-objects";
import { type Found, nameOf, nothing, type SeenObject } from "./finding";
import { isOurs } from "./ours";
import { ownerOf } from "./owner";

/** What is to be done about objects that applying ours does not replace in place. */

/**
 * The DNS workloads, of which only the first is read.
 * @param isKept Whether they stay, left to their owner.
 */
export function workloadsInTheWay([read, ...others]: readonly SeenObject[], isKept: boolean): Found {
  if (!read) return nothing;
  const become = (workload: SeenObject) => (isKept ? [] : whatAboutWorkload(workload, read.kind));
  return listed([
    ...become(read).map((what) => `${nameOf(read)}: ${what}`),
    ...others
      .filter((each) => !isOurs(each))
      .map((each) => `${nameOf(each)}: ${["a second DNS workload, which is not read", ...become(each)].join("; ")}`),
  ]);
}

/** @param kind That of ours. */
function whatAboutWorkload(workload: SeenObject, kind: string): string[] {
  if (isOurs(workload)) return [];
  const { name, namespace: own = namespace } = workload.metadata;
  if (kind !== workload.kind || name !== names.authoritativeDns || own !== namespace) {
    const owner = ownerOf(workload);
    const what = owner ? `turn it off at ${owner.name}` : "delete it";
    return [`runs beside ours${hasOurPods(workload) ? ", and both answer" : ""}; ${what} once ours runs`];
  }
  return hasSelector(workload, authoritativeLabels)
    ? []
    : [
        "its selector is not that of ours, and cannot change: delete it with --cascade=orphan right before ours is applied, which takes over its pods",
      ];
}

/** Whether Service `kube-dns` of ours leads to its pods. */
function hasOurPods({ spec, metadata }: SeenObject): boolean {
  const { template } = (spec ?? {}) as { template?: { metadata?: { labels?: { [label: string]: string } } } };
  return [template?.metadata?.labels, metadata.labels].some((labels) => labels?.["k8s-app"] === "kube-dns");
}

function hasSelector({ spec }: SeenObject, matchLabels: object): boolean {
  const ours = { matchLabels };
  const { selector = ours } = (spec ?? {}) as { selector?: object };
  return differences(selector, ours).length === 0;
}

/**
 * The DNS Services, of which the first is read. Two cannot have the same cluster IP.
 * @param isKept Whether they stay, left to their owner.
 */
export function servicesInTheWay([read, ...others]: readonly SeenObject[], isKept: boolean): Found {
  if (!read) return nothing;
  return listed([
    ...(isKept || read.metadata.name === names.dnsService
      ? []
      : [`${nameOf(read)}: we name the Service kube-dns; delete this one first`]),
    ...others
      .filter((each) => answersDNS(each) && !isOurs(each))
      .map(
        (each) =>
          `${nameOf(each)}: serves DNS as well; clusterDNS is the address of ${nameOf(read)}: correct it if pods ask this one`,
      ),
  ]);
}

/** @param hasCache Whether the cluster file has a cache. */
export function nodeCache(daemonSet: SeenObject, hasCache: boolean): Found {
  if (isOurs(daemonSet)) return nothing;
  const what = hasCache ? whatAboutCache(daemonSet) : ", which stays as it is: the cluster file has none";
  return listed([`${nameOf(daemonSet)}: an existing node cache${what}`]);
}

/** With our name, it becomes ours when ours is applied: to delete it afterwards would delete ours. */
function whatAboutCache(daemonSet: SeenObject): string {
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

export function autoscaler(deployment: SeenObject): Found {
  if (isOurs(deployment)) return nothing;
  return listed([`${nameOf(deployment)}: set authoritativeDNS.autoscaler instead of replicas, and delete it`]);
}

function listed(unsaid: readonly string[]): Found {
  return { findings: [], unsaid };
}
