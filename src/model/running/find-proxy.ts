import type { PodSpec } from "../kubernetes/kinds";
import { mountedConfigMaps, podTemplate } from "../kubernetes/pods";
import type { KubeProxyMode } from "../props/cluster-dns";
import type { ClusterState, ProxyEvidence } from "./cluster-state";

/** What leads the addresses of Services to pods, as far as the cluster shows it. */
export interface Proxy {
  readonly mode: string | undefined;
  /** What says so, and other configurations. */
  readonly evidence: readonly ProxyEvidence[];
  /** Whether something runs kube-proxy; undefined if neither workloads nor pods were read. */
  readonly isRunning: boolean | undefined;
}

/** kube-proxy's mode: what takes its place may leave its ConfigMap. */
export function findProxy({ proxyConfigurations = [], configMaps, workloads, pods }: ClusterState): Proxy {
  const names = proxyConfigurations.map(({ configMap }) => configMap);
  const specs = [...(workloads ?? []).map((each) => podTemplate(each).spec), ...(pods ?? []).map(({ spec }) => spec)];
  const isRunning = workloads || pods ? specs.some((spec) => runsKubeProxy(spec, names)) : undefined;
  const cilium = configMaps?.find(({ metadata: { name } }) => name === "cilium-config");
  const isReplaced = /^(true|strict)$/.test(cilium?.data?.[replacement] ?? "");
  // Cilium may stand beside a kube-proxy that is about to go.
  const evidence =
    isReplaced && (isRunning === false || names.length === 0)
      ? [{ mode: "none", source: `ConfigMap cilium-config (${replacement})` }]
      : proxyConfigurations.map(({ mode, source }) => ({ mode, source }));
  return { mode: evidence[0]?.mode, evidence, isRunning };
}

const replacement = "kube-proxy-replacement";

function runsKubeProxy(spec: PodSpec, configMaps: readonly string[]): boolean {
  return (
    spec.containers.some(({ image = "" }) => image.includes("kube-proxy")) ||
    mountedConfigMaps(spec).some((name) => configMaps.includes(name))
  );
}

/** What shows another mode than a cluster file says: rules for another mode do not fit the nodes. */
export interface OtherMode {
  readonly evidence: readonly ProxyEvidence[];
  /** Not if the file says that there is no kube-proxy, and nothing was read that shows whether one runs. */
  readonly isCertain: boolean;
}

/** @param said The cluster file's. */
export function otherProxyMode({ evidence, isRunning }: Proxy, said: KubeProxyMode): OtherMode | undefined {
  if (said === "none" && isRunning === false) return undefined;
  const others = evidence.filter(({ mode }) => mode !== said);
  if (others.length === 0) return undefined;
  return { evidence: others, isCertain: said !== "none" || isRunning === true };
}
