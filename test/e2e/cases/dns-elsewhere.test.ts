import { beforeAll, describe, expect, it } from "vitest";
import { clusterDns } from "../../../rig/cluster/addresses";
import { deploy } from "../../../rig/cluster/deploy";
import type { Pod } from "../../../rig/cluster/pod";
import { until } from "../../../rig/until";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { NodeLocalDnsOptions } from "../../../src/model/props/node-local-dns";
import { dig } from "../lib/dig";
import { cacheProcess, killed } from "../lib/node-cache";
import { hangingCache } from "../lib/node-faults";
import { installOpenShiftDns, openShiftService } from "../lib/openshift-dns";
import { useCluster } from "../lib/use-cluster";
import { facts } from "../lib/cluster-file";

const name = "kubernetes.default.svc.cluster.local";
const props = {
  ...facts,
  authoritativeDNS: { kind: "Existing", service: openShiftService },
} as const satisfies ClusterDnsProps;

// The cluster's own DNS is where OpenShift has it: nothing in kube-system answers, and no pod listens at port 53.
describe("beside a DNS in another namespace, at another port", () => {
  const cluster = useCluster({ nodes: 1 });
  let client: Pod;

  beforeAll(async () => {
    await installOpenShiftDns(cluster(), clusterDns.ipv4);
    client = await cluster().startPod({ name: "client", node: "node-1" });
  });

  async function isAnswered(server: string, asked = name, type = "A"): Promise<boolean> {
    const { udp, tcp } = await dig(client, { server, name: asked, type });
    return udp.status === "NOERROR" && tcp.status === "NOERROR";
  }

  /** Only the cache knows this name. */
  function answersItself(server: string): Promise<boolean> {
    return until("the cache to answer", 120, () => isAnswered(server, "health.node-local-dns.internal", "TXT"));
  }

  // The rules for link-local with iptables jump to the chains that kube-proxy names after namespace, Service and port.
  it.each<[server: string, nodeLocalDNS: NodeLocalDnsOptions]>([
    [clusterDns.ipv4, {}],
    ["169.254.20.10", { interception: "link-local", packetFilter: "iptables" }],
  ])("pods that ask %s have names while the cache is alive, killed and hung: %j", async (server, nodeLocalDNS) => {
    const node = cluster().node(1);
    await deploy(cluster(), { ...props, nodeLocalDNS });
    await answersItself(server);
    // For these, it asks the cluster's own DNS.
    expect(await isAnswered(server)).toBe(true);
    expect(await isAnswered(server, "dns-default.openshift-dns.svc.cluster.local")).toBe(true);

    await killed(await cacheProcess(cluster(), node));
    expect(await isAnswered(server)).toBe(true);
    await answersItself(server);

    const putBack = await hangingCache(cluster(), node);
    await until("answers past the cache", 30, () => isAnswered(server));
    await putBack();
    await answersItself(server);
  });
});
