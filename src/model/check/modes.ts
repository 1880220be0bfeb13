import { leavesOutNodes, type Placement } from "../full-props/placement";
import { proxyMode, type ProxyMode } from "../query-path/proxy-modes";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Interception, NodeLocalDnsOptions } from "../props/node-local-dns";
import type { Problem } from "../syntax/problem";
import { needsAgentImage } from "./needs";
import { about, type Given } from "./report";

/** What cannot work in a mode of kube-proxy, or would leave pods without DNS. */
export function modeRules({ props, said }: Given): Problem[] {
  const { kubeProxyMode, nodeLocalDNS } = props;
  if (kubeProxyMode === undefined || nodeLocalDNS === undefined || nodeLocalDNS.state === "disabled") return [];
  const mode = proxyMode(said);
  const accepted = mode.interceptions;
  const { state = "enabled", interception = accepted[0], engine, packetFilter, nodePlacement } = said.nodeLocalDNS;
  if (accepted.length === 0 || interception === undefined) {
    return about(["nodeLocalDNS"]).say(
      "is not possible with kubeProxyMode: none, where it is unknown who handles Services; leave it out, or, with Cilium, set cni: cilium",
    );
  }
  if (!accepted.includes(interception)) {
    return about(at("interception")).say(
      `${interception} cannot work with ${mode.name}${why(interception, mode)}; accepted: ${accepted.join(", ")}`,
    );
  }
  const given = { ...nodeLocalDNS, interception, state, nodePlacement };
  if (interception !== "local-redirect" && props.agentImage === undefined)
    return withoutAgentRules(props, given, accepted);
  return [
    ...about(at("engine")).when(
      engine === "node-cache" && props.clusterDNS?.length === 2,
      "node-cache serves one IP family, but clusterDNS has two; use engine: coredns",
    ),
    ...(interception === "local-redirect"
      ? redirectRules(given)
      : about(at("packetFilter")).when(
          interception === "link-local" && mode.pastCache[packetFilter] === undefined,
          `${packetFilter} cannot reach a Service with ${mode.name}; leave it out, or use interception: service-ip`,
        )),
    ...about(at("markBit")).say(markBitFault(nodeLocalDNS)),
    ...watchdogRules(given),
  ];
}

interface Placed extends NodeLocalDnsOptions {
  readonly nodePlacement: Placement;
}

const at = (key: keyof NodeLocalDnsOptions) => ["nodeLocalDNS", key];

/** With Cilium, nodes have no link and no rules of ours. */
function redirectRules({ state, interception, ...options }: NodeLocalDnsOptions): Problem[] {
  return [
    ...about(at("state")).when(
      state === "draining" || state === "removed",
      `${state} removes what ${interception} never set up; use disabled`,
    ),
    ...(["linkLocalAddresses", ...ofAgent] as const).flatMap((key) =>
      about(at(key)).when(
        options[key] !== undefined,
        `has no effect with ${interception}: Cilium redirects, not our rules; leave it out`,
      ),
    ),
  ];
}

function markBitFault({ markBit }: NodeLocalDnsOptions): string | undefined {
  if (markBit === undefined) return undefined;
  if (!Number.isInteger(Math.log2(markBit))) return `${markBit} is not one bit; accepted: 1, 2, 4 ... 2147483648`;
  return [0x4000, 0x8000].includes(markBit) ? `${markBit} belongs to kube-proxy; choose another bit` : undefined;
}

function watchdogRules(options: Placed): Problem[] {
  const { state, interception, watchdog, watchdogThresholds, nodePlacement } = options;
  if (watchdog !== false) return [];
  return [
    ...about(at("watchdogThresholds")).when(
      watchdogThresholds !== undefined,
      "has no effect with watchdog: false; leave one out",
    ),
    ...about(at("watchdog")).when(
      interception === "link-local" && state === "enabled" && leavesOutNodes(nodePlacement),
      "false leaves pods without DNS on the nodes that nodePlacement leaves out, because only the watchdog sets up their rules; keep it, or let the cache run on every node",
    ),
  ];
}

/** Without our agent, upstream's node-cache makes link and rules; what it cannot do. */
function withoutAgentRules(
  props: ClusterDnsProps,
  { state, interception, engine, image, nodePlacement, ...options }: Placed,
  [possible]: readonly Interception[],
): Problem[] {
  return [
    ...(state === "draining" || state === "removed"
      ? needsAgentImage(at("state"), props, `${state} takes our programs on each node`, disabling)
      : []),
    ...(state === "enabled" && props.clusterDNS?.length === 2
      ? needsAgentImage(
          ["nodeLocalDNS"],
          props,
          "without it the cache is node-cache, which serves one IP family, but clusterDNS has two",
          disabling,
        )
      : []),
    ...about(at("interception")).when(
      interception !== possible,
      `${interception} needs agentImage: without it, pods have no DNS whenever their cache restarts; accepted: ${possible}`,
    ),
    ...about(at("engine")).when(
      engine === "coredns",
      "coredns needs agentImage, because it makes no link and rules; leave it out, or set agentImage; accepted: node-cache",
    ),
    ...about(at("image")).when(
      image !== undefined && engine === undefined,
      "may be an image of CoreDNS, but without agentImage the cache is node-cache; add engine: node-cache, or set agentImage",
    ),
    ...ofAgent.flatMap((key) =>
      about(at(key)).when(
        options[key] !== undefined,
        "has no effect without agentImage: node-cache makes its own rules, with iptables; leave it out, or set agentImage",
      ),
    ),
    ...about(at("nodePlacement")).when(
      interception === "link-local" && state === "enabled" && leavesOutNodes(nodePlacement),
      "leaves pods without DNS on the nodes that it leaves out, because only the cache answers the link-local address; leave it out, or set agentImage",
    ),
  ];
}

/** What only our programs on a node can do. */
const ofAgent = ["packetFilter", "markBit", "queryLimit", "watchdog", "watchdogThresholds"] as const;

const disabling = "set nodeLocalDNS: {state: disabled}";

function why(interception: Interception, { serviceIPsAreLocal }: ProxyMode): string {
  if (interception === "service-ip" && serviceIPsAreLocal) return ": its rules take every packet for the service IP";
  if (interception === "local-redirect") return ": only Cilium does it";
  return "";
}
