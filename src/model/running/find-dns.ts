import type { ConfigMap, Container, DisruptionBudget, Service, Workload } from "../kubernetes/kinds";
import type { KubernetesObject } from "../kubernetes/object";
import { mountedConfigMaps, podTemplate, portOf } from "../kubernetes/pods";
import { selects } from "../kubernetes/selectors";
import type { DnsService } from "../dns-service";
import { authoritativeLabels, isOurs, names } from "../object-names";
import type { ClusterState } from "./cluster-state";
import { findProxy } from "./find-proxy";
import { coreDnsContainer } from "./core-dns";
import type { DnsServiceOptions } from "../props/dns-service";

export type Dns = ReturnType<typeof findDns>;

/** By what it runs and mounts; names count only for what somebody abridged. @param said The cluster file's Service. */
export function findDns(state: ClusterState, said?: Pick<DnsService, "namespace" | "name">) {
  const { services: allServices = [], workloads: allWorkloads = [], disruptionBudgets = [], others } = state;
  const isSaid = ({ metadata: { name, namespace } }: Service) =>
    said !== undefined && name === said.name && (namespace ?? said.namespace) === said.namespace;
  const named = allServices.filter((each) => isSaid(each) || isDnsService(each));
  const isOfDns = (each: Service) =>
    answersDns(each) &&
    !isUpstream(each) &&
    allWorkloads.some((workload) => hasPodsOf(each, workload) && runsDns(workload) && !isCache(workload));
  const services = likeliestFirst(
    // A chart gives it a name and labels of its own.
    named.length > 0 ? named : allServices.filter(isOfDns),
    (each) => [isSaid(each), answersDns(each), each.metadata.name === names.dnsService],
  );
  const [service] = services;
  const isSelected = (each: Workload) => service !== undefined && hasPodsOf(service, each);
  const caches = allWorkloads.filter((each) => !isSelected(each) && isCache(each));
  const candidates = allWorkloads.filter(
    (each) => !caches.includes(each) && (isSelected(each) || hasOurPods(each) || runsDns(each)),
  );
  const workloads = likeliestFirst(candidates, (each) => [isSelected(each), runsDns(each)]);
  const [workload] = workloads;
  return {
    /** What pods may ask, the likeliest first: the cluster file's, those with an address and port 53, then by name. */
    services,
    /** What may answer, the likeliest first: that whose pods the first Service has. */
    workloads,
    /** Caches on nodes, ours and others'. */
    caches,
    /** ConfigMaps with a Corefile that no workload mounts, beside workloads of ours that read their own. */
    leftCorefiles: workload && isOurs(workload) ? leftCorefiles(state) : [],
    /** What changes the number of pods of the first workload. */
    autoscalers: [...allWorkloads, ...others].filter((each) => scales(each, workload)),
    /** PodDisruptionBudgets of the first workload. */
    budgets: disruptionBudgets.filter((each) => keeps(each, workload)),
    /** OpenShift's `DNS`, from which its operator makes all else. */
    operators: others.filter(
      ({ kind, apiVersion }) => kind === "DNS" && apiVersion.startsWith("operator.openshift.io/"),
    ),
    proxy: findProxy(state),
  };
}

/** Whether pods may ask a Service: a headless one has no address. */
export function answersDns({ spec }: Service): boolean {
  // Without ports it is abridged: the API server refuses it.
  const isAsked = !spec.ports || spec.ports.some(({ port, protocol }) => port === 53 && protocol !== "TCP");
  return isAsked && spec.clusterIP !== "None" && !spec.clusterIPs?.includes("None");
}

/** Whether our Deployment and our Service `kube-dns` take over a workload's pods. */
export function hasOurPods(workload: Workload): boolean {
  return podLabels(workload)["k8s-app"] === authoritativeLabels["k8s-app"];
}

/** Not Deckhouse's Service kube-dns, which only names another one. */
function isDnsService(service: Service): boolean {
  const { name, labels } = service.metadata;
  const isNamed = name === names.dnsService || name === "dns-default";
  const isLabelled = labels?.["k8s-app"] === authoritativeLabels["k8s-app"] && !isUpstream(service);
  return service.spec.type !== "ExternalName" && (isNamed || isLabelled);
}

/** Whether only caches ask a Service. */
function isUpstream({ metadata: { name } }: Service): boolean {
  return name.includes("upstream");
}

export function hasPodsOf({ metadata, spec }: Service, workload: Workload): boolean {
  return metadata.namespace === workload.metadata.namespace && selects(spec.selector, { labels: podLabels(workload) });
}

/** Its selector's labels are its pods' as well. One without either is abridged: its own. */
export function podLabels(workload: Workload): { readonly [label: string]: string } {
  const labels = { ...podTemplate(workload).labels, ...workload.spec.selector?.matchLabels };
  return Object.keys(labels).length > 0 ? labels : (workload.metadata.labels ?? {});
}

/** CoreDNS or kube-dns, or a name that one of them usually has. */
function runsDns(workload: Workload): boolean {
  const { containers } = podTemplate(workload).spec;
  if (containers.length === 0)
    return /^(coredns|kube-dns|rke2-coredns-rke2-coredns|dns-default)$/.test(workload.metadata.name);
  if (containers.some(runs("autoscaler"))) return false;
  return coreDnsContainer({ containers }) !== undefined || containers.some(runs("k8s-dns-kube-dns"));
}

/** Upstream's node-cache; or a CoreDNS in the node's network, or ours, which has the label of upstream's in any network. */
function isCache(workload: Workload): boolean {
  if (workload.kind !== "DaemonSet") return false;
  const { containers, hostNetwork } = podTemplate(workload).spec;
  if (containers.length === 0) return /^node-?local-?dns$/.test(workload.metadata.name);
  const isOnNode = hostNetwork === true || podLabels(workload)["k8s-app"] === names.nodeLocalDns;
  return containers.some(runs("k8s-dns-node-cache")) || (isOnNode && coreDnsContainer({ containers }) !== undefined);
}

/** Ours have names of their own: those that lack our labels are kubeadm's, or another installer's. */
function leftCorefiles({ configMaps = [], workloads = [] }: ClusterState): ConfigMap[] {
  const used = new Set(workloads.flatMap((each) => mountedConfigMaps(podTemplate(each).spec)));
  return configMaps.filter(
    (each) => each.data?.["Corefile"] !== undefined && !used.has(each.metadata.name) && !isOurs(each),
  );
}

/** A HorizontalPodAutoscaler, or a Deployment of cluster-proportional-autoscaler. */
function scales(object: KubernetesObject, workload: Workload | undefined): boolean {
  if (object.kind === "HorizontalPodAutoscaler") {
    const { kind, name } = (object.spec?.["scaleTargetRef"] ?? {}) as {
      readonly kind?: string;
      readonly name?: string;
    };
    return workload !== undefined && kind === workload.kind && name === workload.metadata.name;
  }
  if (object.kind !== "Deployment") return false;
  const { containers } = podTemplate(object).spec;
  if (containers.length === 0) return /dns.*autoscaler/.test(object.metadata.name);
  const words = containers.flatMap(({ command = [], args = [] }) =>
    [...command, ...args].flatMap((each) => each.split(/[ =]/)),
  );
  return (
    containers.some(runs("proportional-autoscaler")) &&
    (!workload || words.some((word) => word.toLowerCase() === `deployment/${workload.metadata.name}`))
  );
}

function keeps({ metadata, spec }: DisruptionBudget, workload: Workload | undefined): boolean {
  return (
    workload !== undefined &&
    metadata.namespace === workload.metadata.namespace &&
    selects(spec.selector?.matchLabels, { labels: podLabels(workload) })
  );
}

function runs(image: string): (container: Container) => boolean {
  return (container) => container.image?.includes(image) ?? false;
}

/** By the first mark in which two differ; otherwise as they came. */
function likeliestFirst<T>(all: readonly T[], marks: (each: T) => readonly boolean[]): T[] {
  const rank = (each: T) => marks(each).reduce((sum, mark) => 2 * sum + (mark ? 0 : 1), 0);
  return all.toSorted((a, b) => rank(a) - rank(b));
}

/** What its objects do not show is undefined. @param workload What has its pods, whose ports have names. */
export function describeService({ metadata, spec }: Service, workload: Workload | undefined): DnsServiceOptions {
  const { ports = [], selector } = spec;
  const [udp, tcp] = ["UDP", "TCP"].map((wanted) =>
    ports.find(({ port, protocol = "TCP" }) => port === 53 && protocol === wanted),
  );
  const { port, targetPort = port } = udp ?? tcp ?? {};
  const pod = workload ? podTemplate(workload).spec : { containers: [] };
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    selector,
    targetPort: portOf(pod, targetPort),
    portNames: { udp: udp?.name, tcp: tcp?.name },
  };
}
