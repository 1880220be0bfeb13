import { parse } from "yaml";
import { fromCorefile } from "../model/observed/corefile-finding";
import { type Finding, found, type Found, nameOf, type SeenObject } from "../model/observed/finding";
import { fromKubeDNSConfig, fromNodes, fromOpenShift, fromService, fromWorkload } from "../model/observed/from-object";
import { isMapping } from "../model/syntax/mapping";
import { objectsOf, type PrintedObject } from "./kubernetes-list";
import { kubeProxyModes } from "./read-nodes";

/** What a cluster's objects show about its DNS. */
export interface Observation {
  /** In the terms of a cluster file; not checked. */
  readonly description: { readonly [key: string]: unknown };
  /** What they contain that a cluster file cannot express. */
  readonly unsaid: readonly string[];
}

/** What to fetch: everything in kube-system that is relevant to DNS. */
export const kubectlArguments = [
  "-n",
  "kube-system",
  "get",
  "nodes,services,configmaps,deployments,daemonsets",
  "-o",
  "json",
];

/**
 * Reads the output of `kubectl get ... -o json`.
 * @throws SyntaxError if it is not JSON.
 */
export function observe(text: string): Observation {
  const objects = objectsOf(JSON.parse(text)).filter(isSeen);
  const named = (kind: string, name: RegExp) =>
    objects.filter((object) => object.kind === kind && name.test(object.metadata.name));
  const configMaps = objects.filter(({ kind }) => kind === "ConfigMap");
  const all: Found[] = [
    ...objects.filter(isDNSService).slice(0, 1).map(fromService),
    only(fromNodes(objects.filter(({ kind }) => kind === "Node"))),
    fromProxy(configMaps),
    ...named("ConfigMap", /^kubeadm-config$/).map(fromKubeadm),
    ...named("ConfigMap", /^(rke2-)?coredns(-rke2-coredns)?$|^dns-default$/).flatMap((each) =>
      each.data?.["Corefile"] === undefined ? [] : [fromCorefile(each.data["Corefile"], nameOf(each))],
    ),
    ...named("ConfigMap", /^kube-dns$/).map(fromKubeDNSConfig),
    ...objects
      .filter(({ kind, apiVersion }) => kind === "DNS" && String(apiVersion).startsWith("operator.openshift.io/"))
      .map(fromOpenShift),
    ...objects.filter(isDNSWorkload).slice(0, 1).map(fromWorkload),
    ...named("DaemonSet", /^(nodelocaldns|node-local-dns)$/).map(nodeCache),
    ...named("Deployment", /autoscaler/)
      .filter(({ metadata: { name } }) => /dns/.test(name))
      .map(autoscaler),
  ];
  return {
    description: nested(all.flatMap(({ findings }) => findings)),
    unsaid: all.flatMap(({ unsaid }) => unsaid),
  };
}

function isSeen(object: PrintedObject): object is PrintedObject & SeenObject {
  return typeof object.kind === "string" && isMapping(object.metadata) && typeof object.metadata["name"] === "string";
}

function isDNSService({ kind, metadata: { name, labels } }: SeenObject): boolean {
  return (
    kind === "Service" &&
    (name === "kube-dns" ||
      name === "dns-default" ||
      (labels?.["k8s-app"] === "kube-dns" && !name.includes("upstream")))
  );
}

function isDNSWorkload({ kind, metadata: { name, labels } }: SeenObject): boolean {
  const isKind = kind === "Deployment" || kind === "DaemonSet";
  return (
    isKind &&
    (/^(coredns|kube-dns|rke2-coredns-rke2-coredns|dns-default)$/.test(name) || labels?.["k8s-app"] === "kube-dns")
  );
}

function fromProxy(configMaps: readonly SeenObject[]): Found {
  const [mode] = configMaps.flatMap(kubeProxyModes);
  const cilium = configMaps.find(({ metadata: { name } }) => name === "cilium-config");
  const replaces = /^(true|strict)$/.test(cilium?.data?.["kube-proxy-replacement"] ?? "");
  return only([
    ...found("kubeProxyMode", replaces && !mode ? "none" : mode?.mode),
    ...(cilium ? found("cni", "cilium") : []),
  ]);
}

/** kubeadm's ClusterConfiguration. */
function fromKubeadm({ data }: SeenObject): Found {
  const configuration: unknown = parse(data?.["ClusterConfiguration"] ?? "");
  const networking =
    isMapping(configuration) && isMapping(configuration["networking"]) ? configuration["networking"] : {};
  const { serviceSubnet } = networking;
  return only(typeof serviceSubnet === "string" ? found("serviceCIDRs", serviceSubnet.split(",")) : []);
}

function nodeCache(daemonSet: SeenObject): Found {
  return {
    findings: [],
    unsaid: [`${nameOf(daemonSet)}: an existing node cache; delete it once ours runs`],
  };
}

function autoscaler(deployment: SeenObject): Found {
  return {
    findings: [],
    unsaid: [`${nameOf(deployment)}: set authoritativeDNS.autoscaler instead of replicas, and delete it`],
  };
}

function only(findings: readonly Finding[]): Found {
  return { findings, unsaid: [] };
}

/** Combines findings into one value; for the same place, the first wins. */
function nested(findings: readonly Finding[]): { readonly [key: string]: unknown } {
  const root: { [key: string]: unknown } = {};
  for (const { path, value } of findings) {
    let here = root;
    for (const key of path.slice(0, -1)) here = (here[key] ??= {}) as { [key: string]: unknown };
    here[path.at(-1) ?? ""] ??= value;
  }
  return root;
}
