import { beforeAll, describe, expect, it } from "vitest";
import { clusterDns } from "../../../rig/cluster/addresses";
import { deploy } from "../../../rig/cluster/deploy";
import { until } from "../../../rig/until";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { NodeLocalDnsOptions } from "../../../src/model/props/node-local-dns";
import { isAnswered } from "../lib/dig";
import { hangingCache } from "../lib/node-faults";
import { useCluster, useClient } from "../lib/use-cluster";
import { healthZone } from "../../../src/model/corefile/node-local-dns";
import { cacheProcess, killed } from "../lib/programs";
import { facts } from "../lib/usual";
import { installOpenShiftDns, openShiftService } from "../lib/other-dns";

const name = "kubernetes.default.svc.cluster.local";
const props = {
  ...facts,
  authoritativeDNS: { kind: "Existing", service: openShiftService },
} as const satisfies ClusterDnsProps;

// The cluster's own DNS is where OpenShift has it: nothing in kube-system answers, and no pod listens at port 53.
describe("beside a DNS in another namespace, at another port", () => {
  const cluster = useCluster({ nodes: 1 });
  const client = useClient(cluster);

  beforeAll(async () => {
    await installOpenShiftDns(cluster(), clusterDns.ipv4);
  });

  const isFound = (server: string, asked = name) => isAnswered(client(), { server, name: asked });
  /** Only the cache knows this name. */
  const answersItself = (server: string) =>
    until("the cache to answer", 120, () => isAnswered(client(), { server, name: healthZone, type: "TXT" }));

  // The rules for link-local with iptables jump to the chains that kube-proxy names after namespace, Service and port.
  it.each<[server: string, nodeLocalDNS: NodeLocalDnsOptions]>([
    [clusterDns.ipv4, {}],
    ["169.254.20.10", { interception: "link-local", packetFilter: "iptables" }],
  ])("pods that ask %s have names while the cache is alive, killed and hung: %j", async (server, nodeLocalDNS) => {
    const node = cluster().node(1);
    await deploy(cluster(), { ...props, nodeLocalDNS });
    await answersItself(server);
    // For these, it asks the cluster's own DNS.
    expect(await isFound(server)).toBe(true);
    expect(await isFound(server, "dns-default.openshift-dns.svc.cluster.local")).toBe(true);

    await killed(await cacheProcess(cluster(), node));
    expect(await isFound(server)).toBe(true);
    await answersItself(server);

    const putBack = await hangingCache(cluster(), node);
    await until("answers past the cache", 30, () => isFound(server));
    await putBack();
    await answersItself(server);
  });
});
