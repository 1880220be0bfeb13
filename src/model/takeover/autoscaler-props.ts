import { defaults } from "../defaults";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { podTemplate } from "../kubernetes/pods";
import { isOurs, names } from "../object-names";
import { type Finding, found } from "./finding";

/** A cluster-proportional-autoscaler of CoreDNS: what it is told becomes `authoritativeDNS.autoscaler`. */
export function autoscalerProps(
  autoscalers: readonly KubernetesObject[],
  configMaps: readonly KubernetesObject[],
): {
  readonly findings: readonly Finding[];
  readonly todo: readonly string[];
} {
  const deployment = autoscalers.find(({ kind }) => kind === "Deployment");
  if (!deployment || isOurs(deployment)) return { findings: [], todo: [] };
  const linear = paramsOf(deployment, configMaps);
  const name = identity(deployment);
  const end =
    deployment.metadata.name === names.autoscaler
      ? "ours has its name: if its selector is another, delete it right before ours is applied"
      : "delete it once ours runs";
  if (!linear) return { findings: [], todo: [`${name}: set authoritativeDNS.autoscaler instead of replicas; ${end}`] };
  const { coresPerReplica, nodesPerReplica, min, max } = linear;
  const own = Object.entries({ coresPerReplica, nodesPerReplica, min, max }).filter(
    ([key, value]) => value !== undefined && value !== (defaults.autoscaler as { [key: string]: unknown })[key],
  );
  return { findings: found("authoritativeDNS.autoscaler", Object.fromEntries(own)), todo: [`${name}: ${end}`] };
}

interface Linear {
  readonly coresPerReplica?: number;
  readonly nodesPerReplica?: number;
  readonly min?: number;
  readonly max?: number;
}

/** Those of its ConfigMap or, until that is there, of its flag; undefined if its mode is another. */
function paramsOf(autoscaler: KubernetesObject, configMaps: readonly KubernetesObject[]): Linear | undefined {
  const words = podTemplate(autoscaler).spec.containers.flatMap(({ command = [], args = [] }) => [...command, ...args]);
  const flag = (name: string) => words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
  const configMap = configMaps.find(({ metadata }) => metadata.name === flag("configmap"));
  try {
    const text = configMap?.data?.["linear"];
    const params = (text === undefined ? JSON.parse(flag("default-params") ?? "{}") : { linear: JSON.parse(text) }) as {
      linear?: Linear;
    };
    return params.linear;
  } catch {
    return undefined;
  }
}
