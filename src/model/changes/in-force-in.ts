import type { WrittenCorefile } from "../corefile/corefile";
import { parseCorefile } from "../corefile/parse";
import { zonesIn } from "../corefile/server-key";
import { names } from "../object-names";
import { mountedConfigMaps, podTemplate } from "../kubernetes/pods";
import { localIPs } from "../running/core-dns";
import type { Controller } from "../gitops/applier";
import type { InForce } from "../steps/in-force";
import { canonicalName } from "../syntax/names";
import { parseJSON } from "../syntax/json";
import { isMapping } from "../syntax/mapping";
import { type KubernetesObject, isWorkload } from "../kubernetes/object";
import { isArgoCd, isKustomization } from "./controllers";
import { orElse } from "../syntax/or-else";

/** What is in force where only objects show it: in a cluster, or in a folder that holds no description. */
export function inForceIn(objects: readonly KubernetesObject[]): InForce {
  const corefiles = configsInUse(objects, "Corefile").map((text) => orElse(() => parseCorefile(text), []));
  const workload = (name: string) => objects.find((each) => isWorkload(each) && each.metadata.name === name);
  const service = objects.find(({ kind, metadata }) => kind === "Service" && metadata.name === names.dnsService);
  const nodeResolver = workload(names.nodeResolver);
  return {
    domain: corefiles.flatMap(domainOf)[0],
    stubZones: corefiles.flatMap((blocks) => blocks.flatMap(zonesIn)),
    dnsAddresses: [service?.spec?.["clusterIPs"] ?? []].flat().map(String),
    coreDns: workload(names.authoritativeDns)?.kind as InForce["coreDns"],
    agent: configsInUse(objects, "config.json").flatMap(agentConfig)[0],
    nodeCacheAddresses: objects.filter(({ kind }) => kind === "DaemonSet").flatMap(addressesOfNodeCache),
    nodeResolver: nodeResolver && (argsOf(nodeResolver)[0] === "cleanup" ? "removed" : "enabled"),
    controller: controllerIn(objects),
  };
}

function controllerIn(objects: readonly KubernetesObject[]): Controller | undefined {
  const own = objects.find(isArgoCd) ?? objects.find(isKustomization);
  return own && { name: isArgoCd(own) ? "Argo CD" : "Flux", namespace: own.metadata.namespace ?? "" };
}

/** The configurations that workloads mount, by a key of their data; older ones may still exist. */
function configsInUse(objects: readonly KubernetesObject[], key: string): string[] {
  const used = new Set(objects.filter(isWorkload).flatMap((each) => mountedConfigMaps(podTemplate(each).spec)));
  return objects.flatMap(({ kind, metadata: { name }, data }) =>
    kind === "ConfigMap" && data?.[key] !== undefined && used.has(name) ? [String(data[key])] : [],
  );
}

/** A cache's Corefile begins with the domain; kubeadm's, which ours takes the place of, has it in one block with the rest. */
function domainOf(blocks: WrittenCorefile): string[] {
  const served = blocks.flatMap(({ plugins }) => plugins).find(({ name }) => name === "kubernetes")?.args[0];
  const domain = served === undefined ? blocks[0]?.keys[0]?.zone : canonicalName(served);
  return domain === undefined || domain === "." ? [] : [domain];
}

function agentConfig(text: string): NonNullable<InForce["agent"]>[] {
  const config = parseJSON(text);
  return isMapping(config) && "interception" in config ? [config as object as NonNullable<InForce["agent"]>] : [];
}

/** What node-cache puts on the link that it makes. */
function addressesOfNodeCache(daemonSet: KubernetesObject): string[] {
  return argsOf(daemonSet).includes("-setupinterface=false") ? [] : localIPs(podTemplate(daemonSet).spec);
}

function argsOf(workload: KubernetesObject): string[] {
  return podTemplate(workload).spec.containers.flatMap(({ args = [] }) => args);
}

/**
 * The controllers' own objects that applied these, by the marks that Argo CD and Flux leave on objects in a cluster.
 * Marks outlive their controller: of several, those of the one that comes after count; without one, none does.
 * @param after The controller's own objects that are applied next.
 */
export function appliersOf(
  objects: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
): KubernetesObject[] {
  const next = controllerIn(after);
  if (next === undefined) return [];
  const all = objects.flatMap(marks);
  const same = all.filter((each) => controllerIn([each])?.name === next.name);
  const unmoved = same.filter(({ metadata }) => next.name === "Flux" && metadata.namespace === next.namespace);
  return [unmoved, same].find(({ length }) => length > 0) ?? all;
}

function marks({ metadata: { labels = {}, annotations = {} } }: KubernetesObject): KubernetesObject[] {
  const application = annotations["argocd.argoproj.io/tracking-id"]?.split(":")[0];
  const kustomization = labels["kustomize.toolkit.fluxcd.io/name"];
  const namespace = labels["kustomize.toolkit.fluxcd.io/namespace"];
  return [
    ...(application === undefined ? [] : [object("argoproj.io/v1alpha1", "Application", { name: application })]),
    ...(kustomization === undefined || namespace === undefined
      ? []
      : [object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", { name: kustomization, namespace })]),
  ];
}

function object(apiVersion: string, kind: string, metadata: KubernetesObject["metadata"]): KubernetesObject {
  return { apiVersion, kind, metadata };
}
