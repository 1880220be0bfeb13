import type { Node, PodSpec, Workload } from "../kubernetes/kinds";
import { identity } from "../kubernetes/object";
import { mountedConfigMaps, podTemplate } from "../kubernetes/pods";
import { selects } from "../kubernetes/selectors";
import type { KubeProxyMode } from "../props/cluster-dns";
import type { ClusterState, ProxyEvidence } from "./cluster-state";
import { flagOf } from "./core-dns";

export type Proxy = ReturnType<typeof findProxy>;

/** As far as the cluster shows it: what takes kube-proxy's place may leave its ConfigMap, and its DaemonSet. */
export function findProxy({ proxyConfigurations = [], configMaps, workloads, pods, nodes = [] }: ClusterState) {
  const names = proxyConfigurations.map(({ configMap }) => configMap);
  const proxies = (workloads ?? []).filter((each) => runsKubeProxy(podTemplate(each).spec, names));
  const idle = proxies.filter((each) => isIdle(each, nodes));
  const isInPod = (pods ?? []).some(({ spec }) => runsKubeProxy(spec, names));
  const isRunning = workloads || pods ? isInPod || proxies.length > idle.length : undefined;
  const cilium = configMaps?.find(({ metadata: { name } }) => name === "cilium-config");
  const isReplaced = /^(true|strict)$/.test(cilium?.data?.[replacement] ?? "");
  const configured = [...proxies.flatMap(modeOfFlags), ...proxyConfigurations];
  // Cilium may stand beside a kube-proxy that is about to go.
  const evidence: ProxyEvidence[] =
    isReplaced && (isRunning === false || names.length === 0)
      ? [{ mode: "none", source: `ConfigMap cilium-config (${replacement})` }]
      : configured.map(({ mode, source }) => ({ mode, source }));
  const isNowhere = evidence[0]?.mode !== "none" && idle.length > 0 && isRunning === false;
  return {
    mode: isNowhere ? undefined : evidence[0]?.mode,
    /** What says so, and other configurations. */
    evidence,
    /** Whether something runs kube-proxy; undefined if neither workloads nor pods were read. */
    isRunning,
    /** DaemonSets of a kube-proxy that run on no node, as Calico's eBPF and others leave them, and why. */
    idle: isNowhere ? idle.map(whyIdle) : [],
  };
}

function isIdle({ spec, status }: Workload, nodes: readonly Node[]): boolean {
  const { nodeSelector = {} } = spec.template.spec;
  const isOwn = Object.keys(nodeSelector).some((label) => !label.endsWith("kubernetes.io/os"));
  const isNowhere = nodes.length > 0 && isOwn && !nodes.some(({ metadata }) => selects(nodeSelector, metadata));
  return status?.desiredNumberScheduled === 0 || isNowhere;
}

function whyIdle(daemonSet: Workload): string {
  const { nodeSelector = {} } = daemonSet.spec.template.spec;
  const labels = Object.entries(nodeSelector).map(([label, value]) => `${label}: ${value}`);
  return `${identity(daemonSet)} runs on no node${labels.length > 0 ? ` (${labels.join(", ")})` : ""}`;
}

/** Of a kube-proxy without a configuration file: with one, it ignores its flags. */
function modeOfFlags(workload: Workload): ProxyEvidence[] {
  const container = podTemplate(workload).spec.containers.find(isKubeProxy);
  const isTold = container?.command !== undefined || container?.args !== undefined;
  if (!isTold || flagOf(container, "config") !== undefined) return [];
  // kube-proxy on Linux defaults to iptables.
  return [{ mode: flagOf(container, "proxy-mode") || "iptables", source: `${identity(workload)} (--proxy-mode)` }];
}

export function isKubeProxy({ image = "" }: PodSpec["containers"][number]): boolean {
  return image.includes("kube-proxy");
}

const replacement = "kube-proxy-replacement";

function runsKubeProxy(spec: PodSpec, configMaps: readonly string[]): boolean {
  return spec.containers.some(isKubeProxy) || mountedConfigMaps(spec).some((name) => configMaps.includes(name));
}

/**
 * What shows another mode than a cluster file says: rules for another mode do not fit the nodes. It is not certain if the
 * file says that there is no kube-proxy, and nothing was read that shows whether one runs.
 * @param said The cluster file's.
 */
export function otherProxyMode({ evidence, isRunning }: Proxy, said: KubeProxyMode) {
  if (said === "none" && isRunning === false) return undefined;
  const others = evidence.filter(({ mode }) => mode !== said);
  if (others.length === 0) return undefined;
  return { evidence: others, isCertain: said !== "none" || isRunning === true };
}
