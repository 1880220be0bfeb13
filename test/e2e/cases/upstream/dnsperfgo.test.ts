import { describe, expect, it } from "vitest";
import { allRolledOut, deploy } from "../../../../rig/cluster/deploy";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { sleep, until } from "../../../../rig/until";
import { parseSamples, type Sample } from "../../../../src/model/kubernetes/samples";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { programImage } from "../../lib/program-image";
import { useCluster } from "../../lib/use-cluster";
import { facts } from "../../lib/usual";
import { ledToCache } from "../../lib/programs";
import { readerOf, workload } from "../../lib/other-dns";

const program = process.env["CLUSTER_DNS_DNSPERFGO"] ?? "";
const image = "localhost/dnsperfgo:e2e";
const pods = 5;
const seconds = 60;

/** Of ClusterLoader2 (testing/load/modules/dns-performance-metrics.yaml). */
const thresholds = { errors: 0.001, p50: 0.02, p99: 0.1 };

// Upstream's program, which is not among the Go modules: as its Deployment runs it, five pods that ask for ten names a
// second, each with its search list.
describe.each<[what: string, nodeLocalDNS: ClusterDnsProps["nodeLocalDNS"]]>([
  ["without a cache", { state: "disabled" }],
  ["with a cache", {}],
])("dnsperfgo, %s", (what, nodeLocalDNS) => {
  const cluster = useCluster();
  const props: ClusterDnsProps = {
    ...facts,
    nodeLocalDNS: nodeLocalDNS ?? {},
  };

  it("stays within the thresholds of Kubernetes' scale tests", async () => {
    const { kubectl, nodes } = cluster();
    await cluster().importImage(programImage(image, "dnsperfgo", program));
    await deploy(cluster(), props);
    await allRolledOut(cluster(), props);
    if (what === "with a cache") for (const node of nodes) await ledToCache(node);
    await kubectl.apply(objects);
    await kubectl.rolledOut("deployment", "dnsperfgo", "default");
    await sleep(seconds * 1000);
    const samples = await Promise.all((await kubectl.list("pods", "default")).map(metricsOf));
    const total = (name: string) =>
      samples.flat().reduce((sum, each) => sum + (each.name === name ? each.value : 0), 0);
    const lookups = total("dns_lookups_total");
    const errors = total("dns_errors_total");
    const [p50, p99] = [0.5, 0.99].map((share) => quantile(samples.flat(), share));
    const ms = (value = Number.NaN) => `${(value * 1000).toFixed(1)} ms`;
    console.log(`dnsperfgo, ${what}: ${errors} errors of ${lookups} lookups, p50 ${ms(p50)}, p99 ${ms(p99)}`);
    expect(lookups).toBeGreaterThan(pods * 10 * seconds * 0.8);
    expect(errors / lookups).toBeLessThanOrEqual(thresholds.errors);
    expect(p50).toBeLessThanOrEqual(thresholds.p50);
    expect(p99).toBeLessThanOrEqual(thresholds.p99);
  });

  async function metricsOf({ metadata: { name } }: KubernetesObject): Promise<Sample[]> {
    const path = `/api/v1/namespaces/default/pods/${name}:9153/proxy/metrics`;
    return until(`metrics of ${name}`, 30, async () =>
      parseSamples(await cluster().kubectl.run(["get", "--raw", path])),
    );
  }
});

/** As Prometheus' histogram_quantile: linear within a bucket. */
function quantile(samples: readonly Sample[], share: number): number {
  const buckets = new Map<number, number>();
  for (const { name, labels, value } of samples) {
    if (name !== "dns_lookup_latency_bucket") continue;
    const bound = labels["le"] === "+Inf" ? Infinity : Number(labels["le"]);
    buckets.set(bound, (buckets.get(bound) ?? 0) + value);
  }
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  const wanted = share * (sorted.at(-1)?.[1] ?? 0);
  let [lower, below] = [0, 0];
  for (const [upper, count] of sorted) {
    if (count >= wanted)
      return upper === Infinity ? lower : lower + ((upper - lower) * (wanted - below)) / (count - below);
    [lower, below] = [upper, count];
  }
  return Number.NaN;
}

const of = { name: "dnsperfgo", namespace: "default" };
const spec = { serviceAccountName: of.name, terminationGracePeriodSeconds: 1 };
const container = {
  image,
  imagePullPolicy: "Never",
  args: ["-query-cluster-names", "-qps=10", `-duration=${seconds}s`, "-idle-duration=10s"],
  resources: { requests: { cpu: "10m", memory: "10M" } },
};
const objects: KubernetesObject[] = [
  ...readerOf(of, { "": ["services"], "discovery.k8s.io": ["endpointslices"] }, ["list"]),
  workload({ ...of, labels: { name: of.name }, replicas: pods, container, spec }),
];
