import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { clusterDns } from "../../../rig/cluster/addresses";
import { agentImage, importAgentImage } from "../../../rig/cluster/agent-image";
import { deploy } from "../../../rig/cluster/deploy";
import { pod } from "../../../rig/cluster/objects";
import type { Pod } from "../../../rig/cluster/pod";
import { tool } from "../../../rig/tools";
import { until } from "../../../rig/until";
import { readState } from "../../../src/live/read-state";
import { takeOver } from "../../../src/live/take-over/take-over";
import { doctor } from "../../../src/live/doctor";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { DnsServiceOptions } from "../../../src/model/props/dns-service";
import type { NodeLocalDnsOptions } from "../../../src/model/props/node-local-dns";
import { dig } from "../lib/dig";
import { cacheProcess, killed } from "../lib/node-cache";
import { hangingCache } from "../lib/node-faults";
import { installOpenShiftDns, openShiftService } from "../lib/openshift-dns";
import { useCluster } from "../lib/use-cluster";

const name = "kubernetes.default.svc.cluster.local";
const props = {
  clusterDNS: [clusterDns.ipv4],
  kubeProxyMode: "iptables",
  agentImage,
  authoritativeDNS: { kind: "Existing", service: openShiftService },
} as const satisfies ClusterDnsProps;

// The cluster's own DNS is where OpenShift has it: nothing in kube-system answers, and no pod listens at port 53.
describe("beside a DNS in another namespace, at another port", () => {
  const cluster = useCluster({ nodes: 1 });
  let client: Pod;

  beforeAll(async () => {
    const { kubectl } = cluster();
    await importAgentImage(cluster());
    await kubectl.apply([pod({ name: "client", node: "node-1" })]);
    await installOpenShiftDns(cluster(), clusterDns.ipv4);
    await kubectl.run(["wait", "--for=condition=Ready", "pod/client", "--timeout=300s"]);
    client = await cluster().pod("client");
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

  it("init describes it, and doctor finds what is described otherwise", async () => {
    const folder = mkdtempSync(join(tmpdir(), "dns-elsewhere-"));
    const file = (service: DnsServiceOptions) =>
      JSON.stringify({ ...props, authoritativeDNS: { kind: "Existing", service } });
    await cluster().controlPlane.openToTheMachine();
    vi.stubEnv("KUBECONFIG", cluster().names.file("kubeconfig"));
    vi.stubEnv("PATH", `${dirname(tool("kubernetes", "kubectl"))}:${process.env["PATH"]}`);
    try {
      const kinds = "services,configmaps,daemonsets";
      const printed = await cluster().kubectl.run(["get", kinds, "-n", "openshift-dns", "-o", "json"]);
      expect(takeOver(readState(printed), { authoritativeDNS: { kind: "Existing" } }).description).toMatchObject({
        clusterDNS: props.clusterDNS,
        authoritativeDNS: { service: openShiftService },
      });
      const about = async (service: DnsServiceOptions) => {
        writeFileSync(join(folder, "e2e.yaml"), file(service));
        const context = "cluster-dns";
        const { diagnosis, problems } = await doctor({
          clustersFolder: folder,
          outputFolder: "dist",
          name: "e2e",
          context,
        });
        expect(problems).toEqual([]);
        return diagnosis?.findings
          .filter(({ where }) => where.startsWith("Service openshift-dns/"))
          .map(({ id, where }) => [id, where]);
      };
      expect(await about(openShiftService)).toEqual([]);
      const { targetPort: _, ...withoutPort } = openShiftService;
      expect(await about(withoutPort)).toEqual([["dns-service-elsewhere", "Service openshift-dns/dns-default"]]);
    } finally {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    }
  });
});
