import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fields, KubernetesObject } from "../../src/model/kubernetes/object";

/** A Pod as in a file of a kubelet. */
export interface StaticPod extends KubernetesObject {
  readonly spec: PodSpec;
}

/**
 * The pod of a rendered DaemonSet, for a kubelet that knows no API object: files in `folder` are in place of ConfigMaps,
 * and it has no ServiceAccount. Its kernel is emulated, so that its liveness probes wait longer.
 *
 * @param edit Of a ConfigMap's file.
 */
export function staticPod(
  objects: readonly KubernetesObject[],
  name: string,
  folder: string,
  edit: (file: string, text: string) => string,
): StaticPod {
  const { metadata, spec } = find<DaemonSet>(objects, "DaemonSet", name).spec.template;
  const { serviceAccountName: _, containers, volumes, ...others } = spec;
  const files = (configMap: string) => {
    const path = join(folder, configMap);
    mkdirSync(path);
    for (const [file, text] of Object.entries(find<ConfigMap>(objects, "ConfigMap", configMap).data))
      writeFileSync(join(path, file), edit(file, text));
    return path;
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...metadata, name, namespace: "kube-system" },
    spec: {
      ...others,
      containers: containers.map((container) => ({
        ...container,
        livenessProbe: { ...container.livenessProbe, periodSeconds: 60, timeoutSeconds: 60 },
      })),
      volumes: volumes.map(({ configMap, ...volume }) =>
        configMap === undefined ? volume : { name: volume.name, hostPath: { path: files(configMap.name) } },
      ),
    },
  };
}

function find<T extends KubernetesObject>(objects: readonly KubernetesObject[], kind: string, name: string): T {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name} is rendered`);
  return found as T;
}

interface PodSpec extends Fields {
  readonly serviceAccountName?: string;
  readonly containers: readonly {
    readonly livenessProbe?: object;
    readonly resources?: { readonly limits?: { readonly memory?: string } };
  }[];
  readonly volumes: readonly { readonly name: string; readonly configMap?: { readonly name: string } }[];
}

interface DaemonSet extends KubernetesObject {
  readonly spec: { readonly template: { readonly metadata: object; readonly spec: PodSpec } };
}

interface ConfigMap extends KubernetesObject {
  readonly data: Readonly<Record<string, string>>;
}
