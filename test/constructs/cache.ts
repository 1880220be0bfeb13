import { NodeLocalDns } from "../../src/constructs/node-local-dns";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import type { NodeLocalDnsOptions } from "../../src/model/props/node-local-dns";
import { render, type Part } from "./rendered";

export const facts = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "agent:1" } as const;

export function cache(nodeLocalDNS: NodeLocalDnsOptions = {}, more: Partial<ClusterDnsProps> = {}) {
  return render((chart) => new NodeLocalDns(chart, "cache", { ...facts, nodeLocalDNS, ...more }));
}

export function environment(container: Part): { [name: string]: unknown } {
  return Object.fromEntries((container.env as unknown as Part[]).map(({ name, value }) => [String(name), value]));
}
