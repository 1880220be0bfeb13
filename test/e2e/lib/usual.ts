import { expect } from "vitest";
import { clusterDns } from "../../../rig/cluster/addresses";
import { agentImage } from "../../../rig/cluster/agent-image";
import type { Pod } from "../../../rig/cluster/pod";
import { load } from "../../../rig/load/load";
import type { LoadReport } from "../../../rig/load/report";
import { sleep } from "../../../rig/until";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { tellLoad } from "../../../rig/load/tell";

/** What a test's cluster file says, unless a test says otherwise. */
export const facts = {
  clusterDNS: [clusterDns.ipv4],
  kubeProxyMode: "iptables",
  agentImage,
} as const satisfies ClusterDnsProps;

/** The same, with CoreDNS alone. */
export const uncached = { ...facts, nodeLocalDNS: { state: "disabled" } } as const satisfies ClusterDnsProps;

/** Of the cluster, and of the outside world. */
export const askedNames = ["kubernetes.default.svc.cluster.local", "www.outside.test"];

/** What both are answered with, any number of times. */
export const bothAnswers = { "10.96.0.1": expect.any(Number), "192.0.2.1": expect.any(Number) };

/**
 * Sends 500 queries a second from new sockets, for both names unless told otherwise, from before something happens until
 * after it.
 */
export async function loadDuring(
  client: Pod,
  server: string,
  happens: () => Promise<unknown>,
  names: readonly string[] = askedNames,
): Promise<LoadReport> {
  await client.forgetFlows();
  return load(client, { server, names }, async () => {
    await sleep(1500);
    await happens();
    await sleep(1500);
  });
}

/** The same, told in one line. */
export async function toldLoad(what: string, ...asked: Parameters<typeof loadDuring>): Promise<LoadReport> {
  const report = await loadDuring(...asked);
  tellLoad(what, report);
  return report;
}
