import { differences } from "../kubernetes/differences";
import type { Service, Workload } from "../kubernetes/kinds";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { podTemplate } from "../kubernetes/pods";
import { authoritativeLabels, isOurs, names, namespace } from "../object-names";
import { dense, type Sparse } from "../syntax/sparse";
import { familyOf } from "../syntax/addresses";
import { localIPs } from "../running/core-dns";
import { answersDns, hasOurPods } from "../running/find-dns";
import { restorerOf } from "../running/restorer";
import { show } from "../syntax/show";
import { defaults } from "../defaults";

// What is to be done about objects that applying ours does not replace in place.

/** Only the first is read. @param isKept Whether they stay, left to their owner. */
export function workloadsInTheWay([read, ...others]: readonly Workload[], isKept: boolean): Sparse<string> {
  if (!read) return [];
  const become = (workload: Workload) =>
    isKept ? undefined : whatAboutWorkload(workload, read.kind, workload === read);
  const what = become(read);
  return [
    what && `${identity(read)}: ${what}`,
    others
      .filter((each) => !isOurs(each))
      .map(
        (each) => `${identity(each)}: ${dense(["a second DNS workload, which is not read", become(each)]).join("; ")}`,
      ),
  ];
}

/** @param kind That of ours. @param isAnswering Whether it is what answers today. */
function whatAboutWorkload(workload: Workload, kind: string, isAnswering: boolean): string | undefined {
  if (isOurs(workload)) return undefined;
  const { name, namespace: own = namespace } = workload.metadata;
  if (kind !== workload.kind || name !== names.authoritativeDns || own !== namespace) {
    const owner = restorerOf(workload);
    const what = owner ? `turn it off at ${owner.name}` : "delete it";
    if (hasOurPods(workload)) return `runs beside ours, and both answer; ${what} once ours runs`;
    return `runs beside ours; ${isAnswering ? `${serviceLast}, then ${what}` : `${what} once ours runs`}`;
  }
  if (hasSelector(workload, authoritativeLabels)) return undefined;
  const what = hasOurPods(workload)
    ? ", which takes over its pods"
    : `; ${serviceLast}, then delete its ${kind === "Deployment" ? "ReplicaSets" : "pods"}`;
  return `its selector is not that of ours, and cannot change: delete it with --cascade=orphan right before ours is applied${what}`;
}

/** Otherwise the Service would leave the pods that answer for ours, which do not yet. */
const serviceLast =
  "its pods have no label k8s-app: kube-dns, so apply our Service kube-dns, which goes by that, only once ours is ready";

function hasSelector({ spec = {} }: KubernetesObject, matchLabels: object): boolean {
  const { selector = { matchLabels } } = spec;
  return differences(selector, { matchLabels }).length === 0;
}

/** A DNS Service whose pods come from none of the objects. */
export function withoutWorkload(service: Service): string | undefined {
  const labels = Object.entries(service.spec.selector ?? {}).map(([label, value]) => `${label}: ${value}`);
  if (labels.length === 0) return undefined;
  return `${identity(service)}: no Deployment or DaemonSet among the objects has its pods (${labels.join(", ")}), so none was read`;
}

/** Only the first is read. Two cannot have one cluster IP. @param isKept Whether they stay, left to their owner. */
export function servicesInTheWay([read, ...others]: readonly Service[], isKept: boolean): Sparse<string> {
  if (!read) return [];
  const isNamed = read.metadata.name === names.dnsService;
  return [
    !isKept && !isNamed && `${identity(read)}: we name the Service kube-dns; delete this one first`,
    others
      .filter((each) => answersDns(each) && !isOurs(each))
      .map(
        (each) =>
          `${identity(each)}: serves DNS as well; clusterDNS is the address of ${identity(read)}: correct it if pods ask this one`,
      ),
  ];
}

/** A cache on nodes, and its own addresses, which are not a Service's: kubelets may give them to pods. */
export interface NodeCache {
  readonly object: KubernetesObject;
  readonly ownAddresses: readonly string[];
}

export function nodeCacheOf(object: KubernetesObject, clusterDNS: readonly string[]): NodeCache {
  const addresses = localIPs(podTemplate(object).spec).filter((each) => familyOf(each) && !clusterDNS.includes(each));
  // Its own comes first; others are of Services (kubernetes/dns cmd/node-cache/README.md).
  const isFirst = (each: string, i: number) => addresses.findIndex((one) => familyOf(one) === familyOf(each)) === i;
  return { object, ownAddresses: addresses.filter(isFirst) };
}

/** Whether ours, when it is applied, changes it in place. */
export function isReplaced({ object }: NodeCache): boolean {
  return object.metadata.name === names.nodeLocalDns;
}

/** @param ours The addresses of our cache; undefined if the cluster file has none. */
export function cacheInTheWay(cache: NodeCache, ours: readonly string[] | undefined): string | undefined {
  const { object, ownAddresses } = cache;
  if (isOurs(object)) return undefined;
  const what = ours ? whatAboutCache(cache, ours) : ", which stays as it is: the cluster file has none";
  const at = ownAddresses.length > 0 ? ` at ${ownAddresses.join(", ")}` : "";
  return `${identity(object)}: an existing node cache${at}${what}`;
}

/** With our name, it becomes ours when ours is applied: to delete it afterwards would delete ours. */
function whatAboutCache(cache: NodeCache, ours: readonly string[]): string {
  const { object, ownAddresses } = cache;
  const owner = restorerOf(object);
  const asked = ownAddresses.length > 0 ? `pods that were given ${ownAddresses.join(" or ")} ` : "pods that ask it ";
  if (!isReplaced(cache)) {
    const shared = ownAddresses.filter((address) => ours.includes(address));
    const end = `${owner ? `turn it off at ${owner.name}` : "delete it"} once doctor says that no kubelet leads pods to it: until then, ${asked}have no other DNS`;
    return shared.length > 0
      ? `, which is also an address of ours: set another in nodeLocalDNS.linkLocalAddresses; ${end}`
      : `; ${end}`;
  }
  if (!hasSelector(object, { "k8s-app": names.nodeLocalDns }))
    return ` with the name of ours, and another selector, which cannot change: delete it right before ours is applied; ${asked}have no DNS in between`;
  // The manifest of Kubernetes has an addon manager's label, and is used without one.
  const first = owner
    ? `; if ${owner.name} still has it (${owner.mark}), turn it off there first: later, that would delete ours`
    : "";
  return ` with the name of ours, which takes its place: do not delete it${first}`;
}

export function budgetsInTheWay(budgets: readonly KubernetesObject[]): string[] {
  return budgets
    .filter((each) => !isOurs(each) && each.metadata.name !== names.authoritativeDns)
    .map(
      (each) =>
        `${identity(each)}: a second budget for CoreDNS's pods, with which the API server refuses every eviction: delete it before ours is applied`,
    );
}

/** Programs that write a Corefile say so in comments: ours will not have what they write later. */
export function otherWriters(configMap: KubernetesObject): string | undefined {
  const comment = /#[^\n]*(auto-?generated|do not edit|(added|managed|generated) by)[^\n]*/i;
  const [said] = dense(Object.values(configMap.data ?? {}).map((text) => comment.exec(text)?.[0]));
  if (said === undefined) return undefined;
  return `${identity(configMap)}: a program writes it (${show(said.trim())}), and will not write that of ours`;
}

/** Marks of somebody who may restore an object, or who made it once: labels of a domain that is not Kubernetes'. */
export function foreignMarks(object: KubernetesObject): string | undefined {
  const { labels, annotations } = object.metadata;
  const marks = Object.entries({ ...labels, ...annotations })
    .filter(([key]) => key.includes("/") && !harmless.test(key))
    .map(([key, value]) => `${key}=${value}`);
  if (marks.length === 0) return undefined;
  return `${identity(object)}: has marks of somebody (${show(marks.join(", "))}): set authoritativeDNS.kind: Existing if they restore it`;
}

/** Of Kubernetes itself, and of what only looks. */
const harmless = /^([^/]*\.)?(kubernetes\.io|k8s\.io|prometheus\.io|helm\.sh)\//;

/** What kubeadm and Cluster API need to be told once CoreDNS is ours. */
export function upgradesAfterwards(objects: readonly KubernetesObject[]): Sparse<string> {
  const version = defaults.authoritativeDNS.image.replace(/^.*:v/, "");
  const controlPlanes = [...new Set(dense(objects.map(controlPlaneOf)))];
  if (controlPlanes.length > 0)
    return controlPlanes.map(
      (name) =>
        `Cluster API restores its CoreDNS at the next upgrade, and refuses ${version}, unless told, where it runs: kubectl annotate kubeadmcontrolplane ${name} controlplane.cluster.x-k8s.io/skip-coredns=`,
    );
  const isKubeadm = objects.some(({ kind, metadata: { name } }) => kind === "ConfigMap" && name === "kubeadm-config");
  return (
    isKubeadm &&
    `kubeadm's next upgrade refuses CoreDNS ${version}, which it does not know: kubeadm upgrade apply --ignore-preflight-errors=CoreDNSMigration,CoreDNSUnsupportedPlugins`
  );
}

/** Of a node that Cluster API made (api/v1beta1, common_types.go). */
function controlPlaneOf({ kind, metadata: { annotations = {} } }: KubernetesObject): string | undefined {
  const isOwned = kind === "Node" && annotations["cluster.x-k8s.io/owner-kind"] === "KubeadmControlPlane";
  return isOwned ? (annotations["cluster.x-k8s.io/owner-name"] ?? "") : undefined;
}
