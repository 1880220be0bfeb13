import { defaults } from "../defaults";
import { entriesUnlike } from "../kubernetes/differences";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { podTemplate } from "../kubernetes/pods";
import { isOurs, names } from "../object-names";
import type { AutoscalerOptions } from "../props/authoritative-dns";
import { flagOf } from "../running/core-dns";
import { served } from "../size/core-dns";
import type { Sparse } from "../syntax/sparse";
import { parseJSON } from "../syntax/json";
import { type FoundValue, found } from "./found";

interface Scaled {
  readonly findings: readonly FoundValue[];
  readonly todo: Sparse<string>;
}

export function autoscalerProps(
  autoscalers: readonly KubernetesObject[],
  configMaps: readonly KubernetesObject[],
): Scaled {
  // A HorizontalPodAutoscaler of ours says all that the cluster file did.
  const [autoscaler, ...others] = autoscalers.filter(
    (each) => each.kind === "HorizontalPodAutoscaler" || !isOurs(each),
  );
  if (!autoscaler) return { findings: [], todo: [] };
  const { findings, todo } =
    autoscaler.kind === "HorizontalPodAutoscaler" ? horizontal(autoscaler) : proportional(autoscaler, configMaps);
  return { findings, todo: [todo, others.map((each) => `${identity(each)}: a second autoscaler; delete it`)] };
}

interface HorizontalSpec {
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly metrics?: readonly {
    readonly resource?: {
      readonly name?: string;
      readonly target?: { readonly type?: string; readonly averageUtilization?: number };
    };
  }[];
}

function horizontal(autoscaler: KubernetesObject): Scaled {
  // The API server's default is 1.
  const { minReplicas = 1, maxReplicas, metrics = [] } = (autoscaler.spec ?? {}) as HorizontalSpec;
  const cpu = metrics.find(({ resource }) => resource?.name === "cpu")?.resource?.target?.averageUtilization;
  const name = identity(autoscaler);
  return {
    findings: found("authoritativeDNS.autoscaler", {
      mode: "horizontal",
      min: minReplicas,
      ...entriesUnlike({ max: maxReplicas, cpuUtilization: cpu }, defaults.autoscaler),
    }),
    todo: [
      metrics.length > (cpu === undefined ? 0 : 1) && `${name}: ours goes by CPU alone`,
      autoscaler.metadata.name !== names.authoritativeDns &&
        `${name}: delete it before ours is applied: with two, neither scales`,
    ],
  };
}

function proportional(deployment: KubernetesObject, configMaps: readonly KubernetesObject[]): Scaled {
  const { leastReplicas } = defaults;
  const linear = paramsOf(deployment, configMaps);
  const name = identity(deployment);
  const end =
    deployment.metadata.name === names.autoscaler
      ? "ours has its name: if its selector is another, delete it right before ours is applied"
      : "delete it once ours runs";
  if (!linear) return { findings: [], todo: `${name}: set authoritativeDNS.autoscaler instead of replicas; ${end}` };
  const { coresPerReplica, nodesPerReplica, min, max } = linear;
  const usual: Linear = { coresPerReplica: served.pods.cores, nodesPerReplica: served.pods.nodes, min: leastReplicas };
  const own = entriesUnlike({ coresPerReplica, nodesPerReplica, min, max }, usual);
  return { findings: found("authoritativeDNS.autoscaler", own), todo: `${name}: ${end}` };
}

type Linear = Pick<AutoscalerOptions, "coresPerReplica" | "nodesPerReplica" | "min" | "max">;

/** Those of its ConfigMap or, until that is there, of its flag; undefined if its mode is another. */
function paramsOf(autoscaler: KubernetesObject, configMaps: readonly KubernetesObject[]): Linear | undefined {
  const { containers } = podTemplate(autoscaler).spec;
  const flag = (name: string) => containers.flatMap((each) => flagOf(each, name) ?? [])[0];
  const configMap = configMaps.find(({ metadata }) => metadata.name === flag("configmap"));
  const text = configMap?.data?.["linear"];
  const params = text === undefined ? parseJSON(flag("default-params") ?? "") : { linear: parseJSON(text) };
  return (params as { linear?: Linear } | undefined)?.linear;
}
