import type { RenderedCluster } from "../charts/render-cluster";
import { identity, type KubernetesObject } from "../model/kubernetes/object";
import { groupOf } from "../model/kubernetes/resource";
import { headerLine } from "./header";
import { toYaml, type Json } from "./yaml";

/** A cluster's objects as they are written: those to apply, in apply order, and those for kubelets and for GitOps. */
export interface RenderedObjects extends RenderedCluster {
  readonly gitops?: { readonly [folder: string]: readonly KubernetesObject[] };
}

/** Maps a path under the output folder, with `/`, to contents. */
export type Files = ReadonlyMap<string, string>;

/** The files of one cluster. `clusterFile` is the cluster file's path as headers show it. */
export function clusterFiles(cluster: string, clusterFile: string, rendered: RenderedObjects): Files {
  checkIdentities(cluster, rendered);
  const header = headerLine(clusterFile);
  const text = (value: object) => header + toYaml(value as Json, rendered.remarks.get(value));
  return new Map([...contentOf(cluster, rendered)].map(([path, value]) => [path, text(value)]));
}

export function contentOf(cluster: string, rendered: Omit<RenderedObjects, "remarks">): ReadonlyMap<string, object> {
  const files = new Map<string, object>();
  const add = (path: string, value: object) => {
    if (files.has(path)) throw new Error(`two objects of cluster ${cluster} would be written to ${path}`);
    files.set(path, value);
  };

  const components = rendered.components.filter(({ objects }) => objects.length > 0);
  const addFolder = (name: string, objects: readonly KubernetesObject[]) => {
    const fileNames = objects.map(objectFileName);
    for (const [i, object] of objects.entries()) add(`${cluster}/${name}/${fileNames[i]}`, object);
    add(`${cluster}/${name}/kustomization.yaml`, kustomization(fileNames));
  };
  for (const { name, objects } of components) addFolder(name, objects);
  add(`${cluster}/kustomization.yaml`, kustomization(components.map(({ name }) => name)));
  for (const [name, objects] of Object.entries(rendered.gitops ?? {})) addFolder(name, objects);
  for (const { fileName: name, object } of rendered.kubelet) add(`${cluster}/kubelet/${name}`, object);
  return files;
}

/** kustomize orders by kind unless told to keep the given order. */
function kustomization(resources: readonly string[]): object {
  return {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    sortOptions: { order: "fifo" },
    resources,
  };
}

/** `daemonset-node-local-dns.yaml`; some file systems refuse characters of names such as `system:coredns`. */
function objectFileName({ kind, metadata: { name } }: KubernetesObject): string {
  return `${kind}-${name}.yaml`.toLowerCase().replace(/[^a-z0-9.-]/g, "-");
}

/** cdk8s does not notice that two objects are one to the API server: the second would overwrite the first. */
function checkIdentities(cluster: string, { components }: RenderedObjects): void {
  const componentOf = new Map<string, string>();
  for (const { name: component, objects } of components) {
    for (const { apiVersion, kind, metadata } of objects) {
      const id = identity({ kind: [kind, groupOf(apiVersion)].filter(Boolean).join("."), metadata });
      const other = componentOf.get(id);
      if (other) throw new Error(`cluster ${cluster} has ${id} twice, in ${other} and in ${component}`);
      componentOf.set(id, component);
    }
  }
}
