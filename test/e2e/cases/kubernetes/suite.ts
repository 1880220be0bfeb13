import { beforeAll, expect, inject, it } from "vitest";
import { clusterDns, ofFamilies } from "../../../../rig/cluster/addresses";
import { agentImage } from "../../../../rig/cluster/agent-image";
import type { Cluster } from "../../../../rig/cluster/cluster";
import { deploy } from "../../../../rig/cluster/deploy";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { runCases, departures } from "../../lib/kubernetes-suite/cases";
import type { CaseReport } from "../../lib/kubernetes-suite/ginkgo";
import { useCluster, configureKubelets } from "../../lib/use-cluster";
import { ledToCache, metric, podsOf } from "../../lib/programs";

/** How pods reach the cluster DNS. */
export interface Setup {
  /** Default: none, but Cilium, which redirects to the node cache. */
  readonly proxyMode?: "iptables" | "nftables";
  readonly ipFamilies: "IPv4" | "dual";
  /** How they reach the node cache. Default: there is none. */
  readonly interception?: "service-ip" | "link-local" | "local-redirect";
  /** A cluster DNS that is not ours. */
  readonly existing?: Existing;
}

interface Existing {
  readonly install: (cluster: Cluster) => Promise<void>;
  /** Which cases run. */
  readonly cases: RegExp;
}

/** Runs Kubernetes' own suite on a cluster with our DNS: each of its cases is a test. */
export function kubernetesSuite({ proxyMode, ipFamilies, interception, existing }: Setup): void {
  const cluster = useCluster({ ...(proxyMode ? { proxyMode } : { cilium: true }), ipFamilies });
  const cases = inject("casesAboutNames").filter((name) => existing?.cases.test(name) ?? !departures().includes(name));
  const props: ClusterDnsProps = {
    clusterDNS: ofFamilies(ipFamilies, clusterDns),
    ...(proxyMode ? { kubeProxyMode: proxyMode, agentImage } : { kubeProxyMode: "none", cni: "cilium" }),
    ...(existing ? { authoritativeDNS: { kind: "Existing" } } : {}),
    nodeLocalDNS: interception ? { interception } : { state: "disabled" },
  };
  let reports: readonly CaseReport[];
  let toCaches = 0;

  beforeAll(async () => {
    await cluster().importImage(inject("suiteImage"));
    await existing?.install(cluster());
    await deploy(cluster(), props);
    if (interception && proxyMode) for (const node of cluster().nodes) await ledToCache(node);
    if (interception === "link-local") await configureKubelets(cluster(), props);
    const before = await askedOfCaches();
    reports = await runCases(cluster(), cases);
    toCaches = (await askedOfCaches()) - before;
  });

  it.each(cases)("%s", (name) => {
    const report = reports.find((each) => each.name === name);
    expect(report, "its report").toBeDefined();
    if (report?.state !== "passed") throw new Error(`${report?.state}: ${report?.why}`);
  });

  it.each(interception ? ["the node cache"] : [])("asks %s", () => expect(toCaches).toBeGreaterThan(cases.length));

  /** Queries that the caches have got. */
  async function askedOfCaches(): Promise<number> {
    if (!interception) return 0;
    const counts = (await podsOf(cluster(), "node-local-dns")).map(({ status }) =>
      metric(cluster().node(1), "cache", /^coredns_dns_requests_total/, status?.podIP),
    );
    return (await Promise.all(counts)).reduce((total, count) => total + count, 0);
  }
}
