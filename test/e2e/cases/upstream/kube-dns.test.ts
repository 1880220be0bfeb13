import { beforeAll, describe, expect, it } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import { deploy } from "../../../../rig/cluster/deploy";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import type { Pod } from "../../../../rig/cluster/pod";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { load } from "../../../../rig/load/load";
import { tellLoad } from "../../../../rig/load/tell";
import { sleep } from "../../../../rig/until";
import { expectLostAtMost } from "../../../expect-lost";
import { dig, answered } from "../../lib/dig";
import { programImage } from "../../lib/program-image";
import { useCluster } from "../../lib/use-cluster";
import { eventually } from "../../../eventually";
import { namespace, objects, webIP, zone } from "../conformance/objects";
import { askedNames, bothAnswers, facts } from "../../lib/usual";
import { ledToCache, metric } from "../../lib/programs";
import { dnsService, workload } from "../../lib/other-dns";

const program = process.env["CLUSTER_DNS_KUBE_DNS"] ?? "";
const image = "localhost/kube-dns:e2e";
const props: ClusterDnsProps = {
  ...facts,
  authoritativeDNS: { kind: "Existing" },
};

// Before CoreDNS it was Kubernetes' own, and two of the three suites of KEP-1024 test the cache with it. Its program is
// not among the Go modules. Of its three containers only kubedns is here: the cache stands in for dnsmasq.
describe("kube-dns behind the node cache", () => {
  const cluster = useCluster();
  const peers: string[] = [];
  let client: Pod;

  beforeAll(async () => {
    await cluster().importImage(programImage(image, "kube-dns", program));
    await cluster().kubectl.apply([...kubeDns, ...objects(false)]);
    await cluster().kubectl.rolledOut("deployment", "kube-dns", "kube-system");
    await deploy(cluster(), props);
    client = await cluster().readyPod("client");
    for (const name of ["peer-a", "peer-b"]) peers.push((await cluster().readyPod(name, namespace)).address);
    for (const node of cluster().nodes) await ledToCache(node);
  });

  it.each<[what: string, name: string, type: string, answers: () => string[]]>([
    ["a cluster IP", `web.${zone}`, "A", () => [`A ${webIP}`]],
    ["the API server's Service", "kubernetes.default.svc.cluster.local", "A", () => ["A 10.96.0.1"]],
    ["a headless Service", `peers.${zone}`, "A", () => peers.map((address) => `A ${address}`)],
    ["hostname and subdomain of a pod", `alpha.peers.${zone}`, "A", () => [`A ${peers[0]}`]],
    ["the reverse name of a cluster IP", "1.77.96.10.in-addr.arpa", "PTR", () => [`PTR web.${zone}.`]],
    ["a pod by its address", `192-0-2-7.${namespace}.pod.cluster.local`, "A", () => ["A 192.0.2.7"]],
    ["a name outside the cluster", "www.outside.test", "A", () => ["A 192.0.2.1"]],
  ])("%s", async (_what, name, type, answers) => {
    const requests = () => metric(cluster().node(2), "cache", /^coredns_dns_requests_total/);
    const before = await requests();
    const ask = () => dig(client, { server: clusterDns.ipv4, name, type });
    // kube-dns learns of objects a moment after they exist, and the cache keeps a denial for five seconds.
    await eventually("the object's name", 60, ask, answered(...answers()));
    expect(await requests()).toBeGreaterThan(before);
  });

  it("500 queries a second, of the cluster and of the outside world", async () => {
    const report = await load(client, { server: clusterDns.ipv4, names: askedNames }, () => sleep(10_000));
    tellLoad("kube-dns behind the node cache", report);
    expect(report.answers).toEqual(bothAnswers);
    expectLostAtMost(report, { lost: report.sent / 1000 });
  });

  it("a Service that does not exist", async () => {
    const denied = { status: "NXDOMAIN", answers: [] };
    const got = await dig(client, { server: clusterDns.ipv4, name: `nobody.${zone}` });
    expect(got).toEqual({ udp: denied, tcp: denied });
  });
});

const labels = { "k8s-app": "kube-dns" };
const spec = { serviceAccountName: "kube-dns", dnsPolicy: "Default", terminationGracePeriodSeconds: 1 };
const container = {
  image,
  imagePullPolicy: "Never",
  args: ["--domain=cluster.local.", "--dns-port=53", "--v=2"],
  readinessProbe: { httpGet: { path: "/readiness", port: 8081 }, periodSeconds: 1 },
};
const kubeDns: KubernetesObject[] = [
  // Kubernetes binds it to what kube-dns needs.
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "kube-dns", namespace: "kube-system" } },
  dnsService({ name: "kube-dns" }, clusterDns.ipv4, labels),
  workload({ name: "kube-dns", labels, replicas: 2, container, spec }),
];
