import { isIPv6 } from "node:net";
import type { Cluster } from "../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { sleep } from "../../../rig/until";
import type {
  NetworkPolicyEgressRule,
  NetworkPolicyIngressRule,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from "../../../src/model/network-policies/policy";

/**
 * Enforces a cluster's NetworkPolicies until told to stop, as far as these tests use them. The rig's network plugin
 * enforces none. Like Calico and kube-router, it sees a packet on its node, in hook forward after kube-proxy's
 * translation, or in hook input if the node itself has the destination; what a node sends to its own pods passes.
 */
export function enforceNetworkPolicies(cluster: Cluster): () => Promise<void> {
  let isStopped = false;
  const loaded = new Map<string, string>();
  const enforce = async () => {
    const state = await stateOf(cluster);
    for (const node of cluster.nodes) {
      const table = tableOf(node.name, state);
      if (loaded.get(node.name) !== table) await node.exec(["nft", "-f", "-"], { input: table });
      loaded.set(node.name, table);
    }
  };
  const enforced = (async () => {
    // Like a real one, it goes on after a failure: tests see what it does not enforce.
    for (; !isStopped; await sleep(500)) await enforce().catch((error: Error) => console.error(error.message));
  })();
  return () => {
    isStopped = true;
    return enforced;
  };
}

interface PodObject extends KubernetesObject {
  readonly spec: { readonly nodeName?: string; readonly hostNetwork?: boolean };
  readonly status: { readonly podIPs?: readonly { readonly ip: string }[] };
}

interface PolicyObject extends KubernetesObject {
  readonly spec: {
    readonly podSelector: Labels;
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly NetworkPolicyIngressRule[];
    readonly egress?: readonly NetworkPolicyEgressRule[];
  };
}

interface Labels {
  readonly matchLabels?: Readonly<Record<string, string>>;
}

interface State {
  readonly pods: readonly PodObject[];
  readonly namespaces: readonly KubernetesObject[];
  readonly policies: readonly PolicyObject[];
}

async function stateOf({ kubectl }: Cluster): Promise<State> {
  const items = await kubectl.list("pods,namespaces,networkpolicies");
  const of = <T extends KubernetesObject>(kind: string) => items.filter((item) => item.kind === kind) as T[];
  return {
    // The host's network has no policies.
    pods: of<PodObject>("Pod").filter(({ spec }) => !spec.hostNetwork),
    namespaces: of("Namespace"),
    policies: of<PolicyObject>("NetworkPolicy"),
  };
}

/** The rules of a node, replacing those it has. */
function tableOf(node: string, state: State): string {
  const chains = state.pods
    .filter(({ spec }) => spec.nodeName === node)
    .flatMap((pod) => addressesOf(pod).map((address) => chainsOf(pod, address, state)));
  const jumps = (direction: "egress" | "ingress") => chains.flatMap((chain) => chain[direction]?.jump ?? []).join("\n");
  return `table inet network-policies {}
delete table inet network-policies
table inet network-policies {
${chains.flatMap(({ egress, ingress }) => [egress?.text ?? [], ingress?.text ?? []].flat()).join("\n")}
chain forward {
type filter hook forward priority filter; policy accept;
ct state established,related accept
${jumps("egress")}
${jumps("ingress")}
}
chain input {
type filter hook input priority filter; policy accept;
ct state established,related accept
${jumps("egress")}
}
}
`;
}

interface Chain {
  readonly jump: string;
  readonly text: string;
}

function chainsOf(pod: PodObject, address: string, state: State): { egress?: Chain; ingress?: Chain } {
  const applying = state.policies.filter(
    ({ metadata, spec }) => metadata.namespace === pod.metadata.namespace && hasLabels(pod, spec.podSelector),
  );
  const chain = (type: "Egress" | "Ingress", own: "daddr" | "saddr", allowed: readonly string[]): Chain | undefined => {
    if (!applying.some(({ spec }) => spec.policyTypes.includes(type))) return undefined;
    const name = `${type}-${address.replaceAll(/[.:]/g, "-")}`;
    return {
      jump: `${ip(address)} ${own} ${address} jump ${name}`,
      text: `chain ${name} {\n${allowed.map((match) => `${match} return`).join("\n")}\ndrop\n}`,
    };
  };
  const egress = applying.flatMap((policy) =>
    (policy.spec.egress ?? []).flatMap(({ to, ports }) => matches(address, "daddr", to, ports, policy, state)),
  );
  const ingress = applying.flatMap((policy) =>
    (policy.spec.ingress ?? []).flatMap(({ from, ports }) => matches(address, "saddr", from, ports, policy, state)),
  );
  return { egress: chain("Egress", "saddr", egress), ingress: chain("Ingress", "daddr", ingress) };
}

/** What a rule allows, as matches of nft. */
function matches(
  address: string,
  other: "daddr" | "saddr",
  peers: readonly NetworkPolicyPeer[] | undefined,
  ports: readonly NetworkPolicyPort[] | undefined,
  policy: PolicyObject,
  state: State,
): string[] {
  const sameFamily = (one: string) => isIPv6(one.split("/")[0] ?? "") === isIPv6(address);
  const whom = peers?.flatMap((peer) => addressesOfPeer(peer, policy, state)).filter(sameFamily);
  if (whom?.length === 0) return [];
  const from = whom === undefined ? "" : `${ip(address)} ${other} { ${[...new Set(whom)].join(", ")} } `;
  if (ports === undefined) return [from];
  return ports.map(({ protocol, port }) => {
    const name = protocol.toLowerCase();
    return `${from}${port === undefined ? `meta l4proto ${name}` : `${name} dport ${port}`}`;
  });
}

function addressesOfPeer(
  { ipBlock, namespaceSelector, podSelector }: NetworkPolicyPeer,
  { metadata }: PolicyObject,
  state: State,
) {
  if (ipBlock) return [ipBlock.cidr];
  const namespaces = namespaceSelector
    ? state.namespaces.filter((namespace) => hasLabels(namespace, namespaceSelector)).map((each) => each.metadata.name)
    : [metadata.namespace];
  return state.pods
    .filter((pod) => namespaces.includes(pod.metadata.namespace) && hasLabels(pod, podSelector ?? {}))
    .flatMap(addressesOf);
}

function hasLabels({ metadata }: KubernetesObject, { matchLabels = {} }: Labels): boolean {
  return Object.entries(matchLabels).every(([key, value]) => metadata.labels?.[key] === value);
}

function addressesOf({ status }: PodObject): string[] {
  return (status.podIPs ?? []).map((each) => each.ip);
}

function ip(address: string): "ip" | "ip6" {
  return isIPv6(address) ? "ip6" : "ip";
}
