import { proxyMode, type ProxyMode } from "../query-path/proxy-modes";
import { defaults, withDefaults } from "../defaults";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Interception, NodeLocalDnsOptions } from "../props/node-local-dns";
import type { NodePlacement } from "../props/placement";
import type { Problem } from "../syntax/problem";
import { problem, when } from "./report";

/** What cannot work in a mode of kube-proxy, or would leave pods without DNS. */
export function modeRules(props: ClusterDnsProps): Problem[] {
  const { kubeProxyMode, cni, nodeLocalDNS } = props;
  if (kubeProxyMode === undefined || nodeLocalDNS === undefined || nodeLocalDNS.state === "disabled") return [];
  const mode = proxyMode({ kubeProxyMode, cni });
  const accepted = mode.interceptions;
  const {
    state = "enabled",
    interception = accepted[0],
    engine,
    packetFilter,
  } = withDefaults(nodeLocalDNS, defaults.nodeLocalDNS);
  const at = (key: keyof NodeLocalDnsOptions) => ["nodeLocalDNS", key];
  if (interception === undefined) {
    return [
      problem(
        ["nodeLocalDNS"],
        "is not possible with kubeProxyMode: none, where it is unknown who handles Services; with Cilium, set cni: cilium",
      ),
    ];
  }
  if (!accepted.includes(interception)) {
    return [
      problem(
        at("interception"),
        `${interception} cannot work with ${mode.name}${why(interception, mode)}; accepted: ${accepted.join(", ") || "none"}`,
      ),
    ];
  }
  const ours = interception !== "local-redirect";
  return [
    ...when(
      ours && props.agentImage === undefined,
      ["agentImage"],
      `is missing: ${interception} needs link and packet rules on each node; build the image in a clone of this project, \`npm run image -- --push REGISTRY/NAME\`, and name it here, or set nodeLocalDNS: {state: disabled}`,
    ),
    ...when(
      interception === "link-local" && mode.pastCache[packetFilter] === undefined,
      at("packetFilter"),
      `${packetFilter} cannot reach a Service with ${mode.name}; leave it out, or use interception: service-ip`,
    ),
    ...when(
      engine === "node-cache" && props.clusterDNS?.length === 2,
      at("engine"),
      "node-cache serves one IP family, but clusterDNS has two; use engine: coredns",
    ),
    ...when(
      !ours && (state === "draining" || state === "removed"),
      at("state"),
      `${state} removes what ${interception} never set up; use disabled`,
    ),
    ...(["linkLocalAddresses", "packetFilter", "markBit", "watchdog", "watchdogThresholds"] as const).flatMap((key) =>
      when(
        !ours && nodeLocalDNS[key] !== undefined,
        at(key),
        `has no effect with ${interception}: Cilium redirects, not our rules; leave it out`,
      ),
    ),
    ...when(
      nodeLocalDNS.markBit !== undefined && !isPowerOfTwo(nodeLocalDNS.markBit),
      at("markBit"),
      `${nodeLocalDNS.markBit} is not one bit; accepted: 1, 2, 4 ... 2147483648`,
    ),
    ...when(
      [0x4000, 0x8000].includes(nodeLocalDNS.markBit ?? 0),
      at("markBit"),
      `${nodeLocalDNS.markBit} belongs to kube-proxy; choose another bit`,
    ),
    ...when(
      nodeLocalDNS.watchdog === false && nodeLocalDNS.watchdogThresholds !== undefined,
      at("watchdogThresholds"),
      "has no effect with watchdog: false; leave one out",
    ),
    ...when(
      interception === "link-local" &&
        state === "enabled" &&
        nodeLocalDNS.watchdog === false &&
        leavesOutNodes(nodeLocalDNS.nodePlacement),
      at("watchdog"),
      "false leaves pods without DNS on the nodes that nodePlacement leaves out, because only the watchdog sets up their rules; keep it, or let the cache run on every node",
    ),
  ];
}

function why(interception: Interception, { serviceIPsAreLocal }: ProxyMode): string {
  if (interception === "service-ip" && serviceIPsAreLocal) return ": its rules take every packet for the service IP";
  if (interception === "local-redirect") return ": only Cilium does it";
  return "";
}

/** Whether a placement may exclude a Linux node. */
function leavesOutNodes({ nodeSelector = {}, tolerations }: NodePlacement = {}): boolean {
  const narrow = Object.entries(nodeSelector).some(([key, value]) => key !== "kubernetes.io/os" || value !== "linux");
  const tolerant = tolerations === undefined || tolerations.some((t) => t.operator === "Exists" && !t.key && !t.effect);
  return narrow || !tolerant;
}

function isPowerOfTwo(n: number): boolean {
  return Number.isInteger(n) && n > 0 && Number.isInteger(Math.log2(n));
}
