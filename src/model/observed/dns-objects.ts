import type { KubernetesObject } from "../kubernetes/object";
import { authoritativeLabels, names } from "../object-names";
import { isMapping } from "../syntax/mapping";

type Labels = { readonly [label: string]: string };

/** The Services that may be the cluster DNS, the likeliest first: that which answers DNS, then that of the usual name. */
export function dnsServices(objects: readonly KubernetesObject[]): KubernetesObject[] {
  return likeliestFirst(objects.filter(isDNSService), (each) => [answersDNS(each), each.metadata.name === "kube-dns"]);
}

/**
 * The Deployments and DaemonSets that may be the cluster DNS, the likeliest first: those whose pods the DNS Service has,
 * then those of a usual name.
 */
export function dnsWorkloads(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const [service] = dnsServices(objects);
  const isKind = ({ kind }: KubernetesObject) => kind === "Deployment" || kind === "DaemonSet";
  const isSelected = (each: KubernetesObject) => service !== undefined && selects(service, each);
  const candidates = objects.filter(
    (each) => isKind(each) && (hasUsualName(each) || hasOurPods(each) || isSelected(each)),
  );
  return likeliestFirst(candidates, (each) => [isSelected(each), hasUsualName(each)]);
}

/** Whether our Deployment and our Service `kube-dns` take over a workload's pods. */
export function hasOurPods(workload: KubernetesObject): boolean {
  return isDNS(podLabels(workload));
}

/** The labels by which a Service finds its pods. */
export function selectorOf({ spec }: KubernetesObject): Labels {
  const { selector } = (spec ?? {}) as { selector?: Labels };
  return selector ?? {};
}

export function isOpenShiftDNS({ kind, apiVersion = "" }: KubernetesObject): boolean {
  return kind === "DNS" && apiVersion.startsWith("operator.openshift.io/");
}

/** Whether pods may ask a Service: a headless one has no address. */
export function answersDNS({ spec }: KubernetesObject): boolean {
  const { clusterIPs, ports } = isMapping(spec) ? spec : {};
  // Without ports it is abridged: the API server refuses it.
  const isAsked =
    !Array.isArray(ports) || ports.filter(isMapping).some(({ port, protocol }) => port === 53 && protocol !== "TCP");
  return isAsked && !(Array.isArray(clusterIPs) && clusterIPs.includes("None"));
}

/** Not Deckhouse's Service kube-dns, which only names another one. */
function isDNSService(service: KubernetesObject): boolean {
  const { kind, spec, metadata } = service;
  const isAlias = isMapping(spec) && spec["type"] === "ExternalName";
  const isNamed = metadata.name === names.dnsService || metadata.name === "dns-default";
  return kind === "Service" && !isAlias && (isNamed || (isDNS(metadata.labels) && !metadata.name.includes("upstream")));
}

function hasUsualName({ metadata: { name } }: KubernetesObject): boolean {
  return /^(coredns|kube-dns|rke2-coredns-rke2-coredns|dns-default)$/.test(name);
}

/** Its selector's labels are its pods' as well. One without either is abridged: its own. */
function podLabels({ spec, metadata }: KubernetesObject): Labels {
  const { selector, template } = (spec ?? {}) as {
    selector?: { matchLabels?: Labels };
    template?: { metadata?: { labels?: Labels } };
  };
  const labels = { ...template?.metadata?.labels, ...selector?.matchLabels };
  return Object.keys(labels).length > 0 ? labels : (metadata.labels ?? {});
}

function selects(service: KubernetesObject, workload: KubernetesObject): boolean {
  const wanted = Object.entries(selectorOf(service));
  const labels = podLabels(workload);
  return (
    wanted.length > 0 &&
    service.metadata.namespace === workload.metadata.namespace &&
    wanted.every(([label, value]) => labels[label] === value)
  );
}

function isDNS(labels: Labels = {}): boolean {
  return labels["k8s-app"] === authoritativeLabels["k8s-app"];
}

/** By the first mark in which two differ; otherwise as they came. */
function likeliestFirst(
  all: readonly KubernetesObject[],
  marks: (object: KubernetesObject) => boolean[],
): KubernetesObject[] {
  const rank = (object: KubernetesObject) => marks(object).reduce((sum, mark) => 2 * sum + (mark ? 0 : 1), 0);
  return all.toSorted((a, b) => rank(a) - rank(b));
}
