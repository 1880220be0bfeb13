import { itemsOf, type Fields, identity, isKubernetesObject, type KubernetesObject } from "../model/kubernetes/object";
import { hasShape } from "../model/kubernetes/shapes";
import { type ClusterState, stateOf, type ProxyConfiguration } from "../model/running/cluster-state";
import { errorMessage } from "../model/syntax/error-message";
import { isMapping } from "../model/syntax/mapping";
import { parse } from "yaml";
import { orElse } from "../model/syntax/or-else";

/** What `kubectl get ... -o json` printed, each time that it ran. @throws Error that says why it cannot be that. */
export function readState(...texts: readonly string[]): ClusterState {
  const items = texts.flatMap((text) => itemsOf(parseJSON(text)));
  const objects = items.map((item, i) => asObject(item, `item ${i + 1} of ${items.length}`));
  return stateOf(objects, objects.filter(({ kind }) => kind === "ConfigMap").flatMap(proxyConfigurations));
}

function parseJSON(text: string): unknown {
  try {
    return withoutNull(JSON.parse(text));
  } catch (error) {
    const why = errorMessage(error).replace(/\s+/g, " ");
    throw new Error(`is not JSON (${why}); YAML is not read`, { cause: error });
  }
}

/** In Kubernetes' JSON null means not set. Changes objects in place: a reviver would take twice as long. */
export function withoutNull(value: unknown): unknown {
  if (typeof value !== "object") return value;
  if (value === null) return undefined;
  if (Array.isArray(value) && value.includes(null)) return withoutNull(value.filter((each) => each !== null));
  const fields = value as { [key: string]: unknown };
  for (const key of Object.keys(fields))
    if (fields[key] === null) delete fields[key];
    else fields[key] = withoutNull(fields[key]);
  return fields;
}

/** @throws Error that names the object, or its place if it has no name. */
function asObject(item: Fields, place: string): KubernetesObject {
  const object = { apiVersion: "", ...item };
  const isNamed = isKubernetesObject(object);
  const whole = isNamed ? unabridged(object) : undefined;
  if (whole && hasShape(whole)) return whole;
  throw new Error(`${isNamed ? identity(object) : place}: is not as the API server writes it`);
}

/** Somebody may have shortened a workload by hand. */
function unabridged(object: KubernetesObject): KubernetesObject {
  const { kind, spec = {} } = object;
  if (!(kind === "Deployment" || kind === "DaemonSet") || !isMapping(spec)) return object;
  const { template = {} } = spec;
  if (!isMapping(template)) return object;
  const { spec: pod = {} } = template;
  return isMapping(pod)
    ? { ...object, spec: { ...spec, template: { ...template, spec: { containers: [], ...pod } } } }
    : object;
}

/** kubeadm's kube-proxy (`config.conf`), EKS's kube-proxy-config (`config`), or any other that holds one. */
export function proxyConfigurations({ metadata: { name }, data }: KubernetesObject): ProxyConfiguration[] {
  return Object.entries(data ?? {}).flatMap(([key, text]) => {
    if (typeof text !== "string" || !text.includes("KubeProxyConfiguration")) return [];
    // Some other ConfigMap says nothing about kube-proxy.
    const configuration: unknown = orElse(() => parse(text) as unknown, undefined);
    if (!isMapping(configuration) || configuration["kind"] !== "KubeProxyConfiguration") return [];
    // kube-proxy on Linux defaults to iptables.
    const mode = String(configuration["mode"] || "iptables");
    // That of Windows nodes, beside another for Linux.
    if (mode === "kernelspace") return [];
    return [{ mode, source: `ConfigMap ${name} (${key})`, configMap: name }];
  });
}
