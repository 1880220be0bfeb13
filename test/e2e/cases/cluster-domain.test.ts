import { beforeAll, describe, expect, it } from "vitest";
import { clusterDns } from "../../../rig/cluster/addresses";
import { agentImage, importAgentImage } from "../../../rig/cluster/agent-image";
import { deploy } from "../../../rig/cluster/deploy";
import { namespaceObject, pod, service } from "../../../rig/cluster/objects";
import type { Pod } from "../../../rig/cluster/pod";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { configureKubelets } from "../lib/configure-kubelets";
import { dig } from "../lib/dig";
import { knownToDns } from "../lib/known-to-dns";
import { ledToCache } from "../lib/node-cache";
import { useCluster } from "../lib/use-cluster";

// A cluster whose names do not end in cluster.local.

const domain = "corp.example";
const namespace = "names";
const zone = `${namespace}.svc.${domain}`;

const props: ClusterDnsProps = {
  clusterDNS: [clusterDns.ipv4],
  clusterDomain: domain,
  kubeProxyMode: "iptables",
  agentImage,
};

const cluster = useCluster({ nodes: 1 });
let client: Pod;

beforeAll(async () => {
  const { kubectl } = cluster();
  const peer = { app: "peer" };
  await importAgentImage(cluster());
  await configureKubelets(cluster(), props);
  await deploy(cluster(), props);
  await kubectl.apply([
    namespaceObject(namespace),
    service({ name: "web", namespace, spec: { clusterIP: "10.96.77.1" } }),
    service({ name: "peers", namespace, selector: peer, spec: { clusterIP: "None" } }),
    pod({ name: "client", namespace, labels: peer, spec: { hostname: "alpha", subdomain: "peers" } }),
  ]);
  const ready = ["wait", "-n", namespace, "--for=condition=Ready", "pod/client", "--timeout=300s"];
  await kubectl.run(ready);
  client = await cluster().pod("client", namespace);
  await knownToDns(cluster(), client, { [`web.${zone}`]: ["10.96.77.1"], [`alpha.peers.${zone}`]: [client.address] });
  await ledToCache(cluster().node(1));
});

it("is what kubelets tell pods", async () => {
  expect(await client.exec(["cat", "/etc/resolv.conf"])).toBe(
    `search ${zone} svc.${domain} ${domain}\nnameserver ${clusterDns.ipv4}\noptions ndots:5\n`,
  );
  expect((await client.exec(["hostname", "-f"])).trim()).toBe(`alpha.peers.${zone}`);
});

it.each([
  ["web", "10.96.77.1"],
  [`web.${namespace}`, "10.96.77.1"],
  [`web.${namespace}.svc`, "10.96.77.1"],
  ["kubernetes.default", "10.96.0.1"],
  ["www.outside.test", "192.0.2.1"],
])("%s is found through a pod's search list", async (name, address) => {
  expect(await client.exec(["getent", "ahostsv4", name])).toContain(`${address} `);
});

describe.each([clusterDns.ipv4, "169.254.20.10"])("the node's cache, asked at %s", (server) => {
  /** UDP and TCP must agree. */
  async function ask(name: string, type = "A"): Promise<readonly string[] | string> {
    const { udp, tcp } = await dig(client, { server, name, type });
    expect(tcp).toEqual(udp);
    return udp.status === "NOERROR" ? udp.answers : udp.status;
  }
  const reverse = (address: string) => `${address.split(".").reverse().join(".")}.in-addr.arpa`;

  it("has Services, headless ones, their pods and ports in the domain", async () => {
    expect(await ask(`web.${zone}`)).toEqual(["A 10.96.77.1"]);
    expect(await ask(`peers.${zone}`)).toEqual([`A ${client.address}`]);
    expect(await ask(`alpha.peers.${zone}`)).toEqual([`A ${client.address}`]);
    expect(await ask(`_http._tcp.peers.${zone}`, "SRV")).toEqual([`SRV 0 100 80 alpha.peers.${zone}.`]);
    expect(await ask(`nobody.${zone}`)).toBe("NXDOMAIN");
  });

  it("has reverse names in the domain", async () => {
    expect(await ask(reverse("10.96.77.1"), "PTR")).toEqual([`PTR web.${zone}.`]);
    expect(await ask(reverse(client.address), "PTR")).toEqual([`PTR alpha.peers.${zone}.`]);
  });

  it("knows nothing of cluster.local", async () => {
    expect(await ask(`web.${namespace}.svc.cluster.local`)).toBe("NXDOMAIN");
    expect(await ask("kubernetes.default.svc.cluster.local")).toBe("NXDOMAIN");
  });
});
