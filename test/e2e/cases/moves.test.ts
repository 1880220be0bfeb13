import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { apiService, clusterDns } from "../../../rig/cluster/addresses";
import { deploy, writeManifests } from "../../../rig/cluster/deploy";
import type { Pod } from "../../../rig/cluster/pod";
import { load } from "../../../rig/load/load";
import { tellLoad } from "../../../rig/load/tell";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { eventually } from "../../eventually";
import { expectLostAtMost } from "../../expect-lost";
import { runDocumented } from "../lib/documented-commands";
import { useCluster, configureKubelets } from "../lib/use-cluster";
import { askedNames, facts } from "../lib/usual";
import { ledToCache } from "../lib/programs";
import { readText } from "../../../rig/repository";
import { coreDnsWith, dnsService } from "../lib/other-dns";

// To another address and another domain, by the steps of docs/gitops.md; in order, on one cluster.

const cluster = useCluster({ nodes: 1 });
const other = "10.96.0.20";
const moved: ClusterDnsProps = { ...facts, clusterDNS: [other] };

beforeAll(async () => {
  await configureKubelets(cluster(), facts);
  await deploy(cluster(), facts);
  await ledToCache(cluster().node(1));
});

it("moves to another address: the old one answers pods that run, the new one new pods", async () => {
  const before = await cluster().startPod({ name: "before-address" });
  const asked = { server: clusterDns.ipv4, names: askedNames };
  const report = await load(before, { ...asked, rate: 200 }, async () => {
    const folder = writeManifests(cluster(), moved);
    const file = join(folder, "authoritative-dns/service-kube-dns.yaml");
    const refused = await cluster().kubectl.attempt(["apply", "--server-side", "-f", file]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("may not change once set") });
    expect(await runDocumented(cluster(), swap().replaceAll("dist/<cluster>", folder), {})).toMatchObject({ code: 0 });
    await deploy(cluster(), moved);
    await configureKubelets(cluster(), moved);
    await ledToCache(cluster().node(1));
  });
  tellLoad("another address", report);
  // None is lost where nothing else runs: the node's cache answers.
  expectLostAtMost(report, { lost: 200 });
  expect(await api(before)).toEqual([clusterDns.ipv4, apiService]);
  expect(await api(await cluster().startPod({ name: "after-address" }))).toEqual([other, apiService]);
});

it("moves to another domain: pods that run find Services in the old one, new pods in the new one", async () => {
  const before = await cluster().startPod({ name: "before-domain" });
  const server = "10.96.0.30";
  const corefile = "cluster.local:53 {\n  kubernetes cluster.local in-addr.arpa ip6.arpa\n}\n";
  const of = { name: "old-domain", labels: { app: "old-domain" }, spec: { serviceAccountName: "coredns" } };
  await cluster().kubectl.apply([...coreDnsWith(corefile, of), dnsService(of, server, of.labels)]);
  await cluster().kubectl.rolledOut("deployment", of.name, "kube-system");
  const domain: ClusterDnsProps = {
    ...moved,
    clusterDomain: "corp.example",
    stubDomains: { "cluster.local": [server] },
  };
  await deploy(cluster(), domain);
  await configureKubelets(cluster(), domain);
  await ledToCache(cluster().node(1));
  const after = await cluster().startPod({ name: "after-domain" });
  const found = () => Promise.all([before, after].map(api));
  const expected = [other, apiService];
  // The other domain's CoreDNS may still read Services, and kube-proxy lead nowhere yet.
  await eventually("both domains", 60, found, [expected, expected]);
  expect(await after.exec(["cat", "/etc/resolv.conf"])).toContain(" svc.corp.example corp.example\n");
});

/** The documented command that puts another Service in the place of kube-dns. */
function swap(): string {
  const page = readText("docs/gitops.md");
  const box = /^ {3}```sh\n( {3}kubectl delete service kube-dns [^]*?) {3}```$/m.exec(page)?.[1];
  if (box === undefined) throw new Error("docs/gitops.md does not say how to put another Service in place of kube-dns");
  return box.replaceAll(/^ {3}/gm, "");
}

/** The server that the pod asks, and what it says the API server's address is. */
async function api(client: Pod): Promise<string[]> {
  const [, server = ""] = /^nameserver (.*)$/m.exec(await client.exec(["cat", "/etc/resolv.conf"])) ?? [];
  const [address = ""] = (await client.attempt(["getent", "hosts", "kubernetes.default"])).stdout.split(" ");
  return [server, address];
}
