import type { AuthoritativeDnsOptions } from "../../src/model/props/authoritative-dns";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import type { NodeLocalDnsOptions } from "../../src/model/props/node-local-dns";
import type { NodePlacement } from "../../src/model/props/placement";

/** A cluster file, and the name of its golden file. */
export interface Row {
  /** Folder and name, without `.yaml`. */
  readonly name: string;
  readonly props: ClusterDnsProps;
  /** The row beside which it stands: its file holds what it changes there. Without one, its file is whole. */
  readonly beside?: Row;
}

const [ipv4, ipv6] = ["10.96.0.10", "fd00:96::a"];
const agentImage = "registry.example/cluster-dns-agent:0.1.0";

const admission = { allowedUsers: ["argocd"], enforcement: "webhook", placementGuard: true } as const;

/** Components that no mode moves: every row has them, so that a row would show it if it did. */
const besides: Partial<ClusterDnsProps> = {
  nodeResolver: { services: ["image-registry.openshift-image-registry.svc"] },
  admission,
};

const iptables = plain("iptables", { kubeProxyMode: "iptables" });
const nftables = plain("nftables", { kubeProxyMode: "nftables" });
const ipvs = plain("ipvs", { kubeProxyMode: "ipvs" });
const cilium = plain("cilium", { kubeProxyMode: "none", cni: "cilium" });
const none = plain("none", { kubeProxyMode: "none" });

const tolerate = (key: string): NodePlacement => ({ tolerations: [{ key, operator: "Exists", effect: "NoSchedule" }] });
const selects = (key: string): NodePlacement => ({ nodeSelector: { "kubernetes.io/os": "linux", [key]: "" } });
const infra = { ...selects("node-role.kubernetes.io/infra"), ...tolerate("node-role.kubernetes.io/infra") };

/** They run the agent. */
const withoutAgent = { agentImage: "none", nodeResolver: undefined, admission: undefined } as const;

const authoritativeDns: { readonly [name: string]: AuthoritativeDnsOptions } = {
  "deployment-infra": { nodePlacement: infra },
  "deployment-control-plane": { nodePlacement: selects("node-role.kubernetes.io/control-plane") },
  "deployment-dns-only": { nodePlacement: tolerate("dns-only") },
  daemonset: { kind: "DaemonSet" },
  "daemonset-infra": { kind: "DaemonSet", nodePlacement: infra },
  existing: { kind: "Existing" },
};

const disabled = { disabled: { state: "disabled" } } as const;
const removed = { removed: { state: "removed" } } as const;
const draining = { draining: { state: "draining" } } as const;
const nodeCache = { "engine-node-cache": { engine: "node-cache" } } as const;
const iptablesRules = { "packet-filter-iptables": { packetFilter: "iptables" } } as const;
const unwatched = { "no-watchdog": { watchdog: false } } as const;
const onInfra = { "cache-on-infra": { nodePlacement: infra } } as const;

const iptablesLinkLocal = linkLocal(iptables);
const nftablesLinkLocal = linkLocal(nftables);

/** Every row that has something of its own to decide. */
export const rows: readonly Row[] = [
  ...[iptables, nftables, ipvs, cilium, none].flatMap((mode) => [mode, ...placements(mode)]),

  ...families(iptables),
  ...variants(iptables, { ...disabled, ...removed, ...nodeCache, ...iptablesRules, ...unwatched, ...onInfra }),
  iptablesLinkLocal,
  ...families(iptablesLinkLocal),
  ...variants(iptablesLinkLocal, { ...draining, ...removed, ...nodeCache, ...iptablesRules }),

  ...families(nftables),
  ...variants(nftables, { ...disabled, ...removed, ...nodeCache, ...iptablesRules }),
  nftablesLinkLocal,
  ...families(nftablesLinkLocal),
  ...variants(nftablesLinkLocal, { ...draining, ...removed, ...nodeCache }),

  ...families(ipvs),
  ...variants(ipvs, { ...disabled, ...draining, ...removed, ...nodeCache, ...iptablesRules, ...unwatched, ...onInfra }),

  ...families(cilium),
  ...variants(cilium, { ...disabled, ...nodeCache, ...onInfra }),

  ...[iptables, nftables, ipvs].flatMap((mode) => [
    variant(mode, "without-agent", withoutAgent),
    variant(mode, "cilium-beside-kube-proxy", { cni: "cilium" }),
    variant(mode, "webhook-on-infra", { admission: { ...admission, webhook: { nodePlacement: infra } } }),
  ]),
  variant(nftables, "pod-options", {
    admission: { ...admission, podDNSConfig: { options: { ndots: 2, edns0: true }, excludedNamespaces: ["legacy"] } },
  }),
  variant(iptables, "without-agent-dual-stack", { ...withoutAgent, clusterDNS: [ipv4, ipv6] }),
];

function plain(mode: string, props: Omit<ClusterDnsProps, "clusterDNS">): Row {
  return { name: `${mode}/deployment`, props: { clusterDNS: [ipv4], ...props, agentImage, ...besides } };
}

function placements(mode: Row): Row[] {
  return Object.entries(authoritativeDns).map(([kind, authoritativeDNS]) => variant(mode, kind, { authoritativeDNS }));
}

function linkLocal(mode: Row): Row {
  return variant(mode, "link-local", { nodeLocalDNS: { interception: "link-local" } });
}

function families(row: Row): Row[] {
  return [variant(row, "ipv6", { clusterDNS: [ipv6] }), variant(row, "dual-stack", { clusterDNS: [ipv4, ipv6] })];
}

function variants(row: Row, options: { readonly [name: string]: NodeLocalDnsOptions }): Row[] {
  return Object.entries(options).map(([name, nodeLocalDNS]) =>
    variant(row, name, { nodeLocalDNS: { ...row.props.nodeLocalDNS, ...nodeLocalDNS } }),
  );
}

function variant(row: Row, name: string, props: Partial<ClusterDnsProps>): Row {
  const prefix = row.beside ? row.name : row.name.replace("/deployment", "");
  return {
    name: row.beside ? `${prefix}-${name}` : `${prefix}/${name}`,
    props: { ...row.props, ...props },
    beside: row,
  };
}
