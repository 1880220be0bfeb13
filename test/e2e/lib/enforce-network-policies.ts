import type { Cluster } from "../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { sleep } from "../../../rig/until";
import type { LabelSelector } from "../../../src/model/kubernetes/kinds";
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

interface Placed extends KubernetesObject {
  readonly spec: { readonly nodeName?: string; readonly hostNetwork?: boolean };
  readonly status: { readonly podIP: string };
}

interface Policy extends KubernetesObject {
  readonly spec: {
    readonly podSelector: LabelSelector;
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly NetworkPolicyIngressRule[];
    readonly egress?: readonly NetworkPolicyEgressRule[];
  };
}

interface State {
  readonly pods: readonly Placed[];
  readonly namespaces: readonly KubernetesObject[];
  readonly policies: readonly Policy[];
}

async function stateOf({ kubectl }: Cluster): Promise<State> {
  const items = await kubectl.list("pods,namespaces,networkpolicies");
  const of = <T extends KubernetesObject>(kind: string) => items.filter((item) => item.kind === kind) as T[];
  return {
    // The host's network has no policies.
    pods: of<Placed>("Pod").filter(({ spec, status }) => !spec.hostNetwork && status.podIP),
    namespaces: of("Namespace"),
    policies: of<Policy>("NetworkPolicy"),
  };
}

/** The rules of a node, replacing those it has. Its clusters have IPv4 alone. */
function tableOf(node: string, state: State): string {
  const pods = state.pods.filter(({ spec }) => spec.nodeName === node);
  const [egress, ingress] = (["Egress", "Ingress"] as const).map((type) => {
    const chains = pods.flatMap((pod) => chainOf(pod, type, state) ?? []);
    return { texts: chains.map(({ text }) => text).join(""), jumps: chains.map(({ jump }) => jump).join("") };
  });
  const hook = (name: string, jumps = "") => `chain ${name} {
type filter hook ${name} priority filter; policy accept;
ct state established,related accept
${jumps}}
`;
  return `table inet network-policies {}
delete table inet network-policies
table inet network-policies {
${egress?.texts}${ingress?.texts}${hook("forward", `${egress?.jumps}${ingress?.jumps}`)}${hook("input", egress?.jumps)}}
`;
}

/** What a pod may send or get, if policies say so. */
function chainOf(pod: Placed, type: "Egress" | "Ingress", state: State): { jump: string; text: string } | undefined {
  const applying = state.policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.metadata.namespace &&
      hasLabels(pod, spec.podSelector) &&
      spec.policyTypes.includes(type),
  );
  if (applying.length === 0) return undefined;
  const [own, other] = type === "Egress" ? (["saddr", "daddr"] as const) : (["daddr", "saddr"] as const);
  const allowed = applying.flatMap(({ metadata: { namespace = "" }, spec: { egress = [], ingress = [] } }) =>
    (type === "Egress"
      ? egress.map(({ to, ports }) => ({ peers: to, ports }))
      : ingress.map(({ from, ports }) => ({ peers: from, ports }))
    ).flatMap(({ peers, ports }) => {
      const whom = peers?.flatMap((peer) => addressesOf(peer, namespace, state));
      if (whom?.length === 0) return [];
      const from = whom === undefined ? "" : `ip ${other} { ${[...new Set(whom)].join(", ")} } `;
      return (ports ?? [undefined]).map((port) => `${from}${port === undefined ? "" : portOf(port)} return\n`);
    }),
  );
  const name = `${type}-${pod.status.podIP.replaceAll(".", "-")}`;
  return {
    jump: `ip ${own} ${pod.status.podIP} jump ${name}\n`,
    text: `chain ${name} {\n${allowed.join("")}drop\n}\n`,
  };
}

function portOf({ protocol, port }: NetworkPolicyPort): string {
  const name = protocol.toLowerCase();
  return port === undefined ? `meta l4proto ${name}` : `${name} dport ${port}`;
}

function addressesOf(peer: NetworkPolicyPeer, own: string, { pods, namespaces }: State): string[] {
  const { ipBlock, namespaceSelector, podSelector = {} } = peer;
  if (ipBlock) return [ipBlock.cidr].filter((cidr) => !cidr.includes(":"));
  const chosen = namespaceSelector
    ? namespaces.filter((each) => hasLabels(each, namespaceSelector)).map(({ metadata }) => metadata.name)
    : [own];
  return pods
    .filter((pod) => chosen.includes(pod.metadata.namespace ?? "") && hasLabels(pod, podSelector))
    .map(({ status }) => status.podIP);
}

function hasLabels({ metadata }: KubernetesObject, { matchLabels = {} }: LabelSelector): boolean {
  return Object.entries(matchLabels).every(([key, value]) => metadata.labels?.[key] === value);
}
