import { beforeAll, describe, expect, it } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import { agentImage } from "../../../../rig/cluster/agent-image";
import { deploy } from "../../../../rig/cluster/deploy";
import { externalName, service } from "../../../../rig/cluster/objects";
import { outsidePki, outsideServerName } from "../../../../rig/cluster/outside-pki";
import type { Pod } from "../../../../rig/cluster/pod";
import { until } from "../../../../rig/until";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { dig, type DnsAnswer, knownToDns } from "../../lib/dig";
import { useCluster } from "../../lib/use-cluster";
import { digitFirstIP, namespace, objects, webIP, webIPv6, zone } from "./objects";
import { eventually } from "../../../eventually";
import { ledToCache } from "../../lib/programs";

/** Addresses assigned by the cluster. */
interface Chosen {
  readonly alpha: string;
  readonly beta: string;
  readonly never: string;
  /** Number of IP families of the cluster. */
  readonly families: number;
}

type OfChosen<T> = T | ((chosen: Chosen) => T);

/** A question, and its answers or status. */
type Case = readonly [what: string, type: string, name: OfChosen<string>, answer: OfChosen<readonly string[] | string>];

// The behaviour tested by kubernetes/kubernetes test/e2e/network/dns.go and of the DNS specification 1.1.0.
const cases: readonly Case[] = [
  ["the API server's Service", "A", "kubernetes.default.svc.cluster.local", ["A 10.96.0.1"]],
  ["the cluster DNS's own Service", "A", "kube-dns.kube-system.svc.cluster.local", ["A 10.96.0.10"]],
  ["the schema version", "TXT", "dns-version.cluster.local", ['TXT "1.1.0"']],
  ["a cluster IP", "A", `web.${zone}`, [`A ${webIP}`]],
  ["a name in upper case", "A", `WEB.${zone}`, [`A ${webIP}`]],
  ["a name that starts with a digit (RelaxedServiceNameValidation)", "A", `1web.${zone}`, [`A ${digitFirstIP}`]],
  ["a Service that does not exist", "A", `nobody.${zone}`, "NXDOMAIN"],
  ["a name without svc, as before Kubernetes 1.3", "A", `web.${namespace}.cluster.local`, "NXDOMAIN"],
  ["a namespace that does not exist", "A", "web.nowhere.svc.cluster.local", "NXDOMAIN"],
  ["a type that a name does not have", "MX", `web.${zone}`, []],
  // One record per name, its weight shared among the addresses.
  ["the port of a Service", "SRV", `_http._tcp.web.${zone}`, (of) => [`SRV 0 ${100 / of.families} 80 web.${zone}.`]],
  ["a port that a Service does not have", "SRV", `_smtp._tcp.web.${zone}`, "NXDOMAIN"],
  ["the reverse name of a cluster IP", "PTR", "1.77.96.10.in-addr.arpa", [`PTR web.${zone}.`]],
  ["a headless Service", "A", `peers.${zone}`, ({ alpha, beta }) => [`A ${alpha}`, `A ${beta}`]],
  [
    "the ports of a headless Service",
    "SRV",
    `_http._tcp.peers.${zone}`,
    ["alpha", "beta"].map((pod) => `SRV 0 50 80 ${pod}.peers.${zone}.`),
  ],
  ["hostname and subdomain of a pod", "A", `alpha.peers.${zone}`, ({ alpha }) => [`A ${alpha}`]],
  ["the reverse name of a headless Service's pod", "PTR", ({ beta }) => reverse(beta), [`PTR beta.peers.${zone}.`]],
  ["a headless Service with no ready pod", "A", `unready.${zone}`, "NXDOMAIN"],
  ["one that publishes unready pods", "A", `anyway.${zone}`, ({ never }) => [`A ${never}`]],
  ["a pod by its address", "A", `192-0-2-7.${namespace}.pod.cluster.local`, ["A 192.0.2.7"]],
  ["a chain of ExternalName Services", "A", `foo.${zone}`, [`A ${webIP}`, `CNAME bar.${zone}.`, `CNAME web.${zone}.`]],
  ["an ExternalName outside the cluster", "A", `outside.${zone}`, ["A 192.0.2.1", "CNAME www.outside.test."]],
  ["a name outside the cluster", "A", "www.outside.test", ["A 192.0.2.1"]],
  ["a name outside the cluster that does not exist", "A", "nobody.outside.test", "NXDOMAIN"],
  ["a name of a stub domain", "A", "host.corp.test", ["A 192.0.2.5"]],
  ["a fixed name", "A", "fixed.test", ["A 192.0.2.6"]],
];

const dualStackCases: readonly Case[] = [
  ["an IPv6 cluster IP", "AAAA", `web.${zone}`, [`AAAA ${webIPv6}`]],
  [
    "the reverse name of an IPv6 cluster IP",
    "PTR",
    "1.0.7.7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.9.0.0.0.0.d.f.ip6.arpa",
    [`PTR web.${zone}.`],
  ],
  ["an IPv6 address outside the cluster", "AAAA", "www.outside.test", ["AAAA 2001:db8::1"]],
];

const reverse = (address: string) => `${address.split(".").reverse().join(".")}.in-addr.arpa`;
const found = (...answers: readonly string[]): DnsAnswer => ({ status: "NOERROR", answers });

/** How cluster DNS is reached. */
export interface Setup {
  readonly proxyMode: "iptables" | "nftables";
  readonly ipFamilies: "IPv4" | "dual";
  /** Query through the node cache, and what implements its packet rules. Default: no cache. */
  readonly nodeCache?: "nftables" | "iptables";
}

const stubServer = "172.30.0.1:5301";

/** Runs the cases as tests, on a cluster of their own. */
export function conformance({ proxyMode, ipFamilies, nodeCache }: Setup): void {
  const cluster = useCluster({ proxyMode, ipFamilies });
  const dualStack = ipFamilies === "dual";
  const servers = dualStack ? [clusterDns.ipv4, clusterDns.ipv6] : [clusterDns.ipv4];
  const props: ClusterDnsProps = {
    clusterDNS: servers,
    kubeProxyMode: proxyMode,
    stubDomains: { "corp.test": [stubServer] },
    hostAliases: [{ ip: "192.0.2.6", hostnames: ["fixed.test"] }],
    ...(nodeCache
      ? { agentImage, nodeLocalDNS: { interception: "service-ip", packetFilter: nodeCache } }
      : { nodeLocalDNS: { state: "disabled" } }),
  };
  // the cache keeps an answer for half a minute
  const changeSeenSeconds = nodeCache ? 120 : 60;
  const sources: Record<string, Pod> = {};
  let chosen: Chosen;

  beforeAll(async () => {
    const { kubectl, controlPlane } = cluster();
    controlPlane.startDns("stub-dns", answering("corp.test:5301", "192.0.2.5 host.corp.test"));
    await kubectl.apply(objects(dualStack));
    await deploy(cluster(), props);
    for (const name of ["client", "host-client"]) sources[name] = await cluster().readyPod(name);
    const { address: alpha } = await cluster().readyPod("peer-a", namespace);
    const { address: beta } = await cluster().readyPod("peer-b", namespace);
    const unready = async () => (await cluster().pod("never", namespace)).address || undefined;
    const never = await until("an address of the unready pod", 30, unready);
    chosen = { families: servers.length, alpha, beta, never };
    if (nodeCache) for (const node of cluster().nodes) await ledToCache(node);
    await knownToDns(cluster(), pod("client"), {
      [`web.${zone}`]: [webIP],
      [`peers.${zone}`]: [alpha, beta],
      [`anyway.${zone}`]: [never],
    });
    // kube-proxy may take a moment after the last pod became ready
    for (const source of Object.keys(sources))
      for (const server of servers)
        await until("cluster DNS to answer", 60, async () => {
          return (await answers(`alpha.peers.${zone}`, source, server)).status === "NOERROR";
        });
  });

  describe.each(servers)("asked at %s", (server) => {
    describe.each(["client", "host-client"])("from pod %s", (source) => {
      it.each([...cases, ...(dualStack ? dualStackCases : [])])("%s", async (_what, type, asked, expected) => {
        const name = typeof asked === "string" ? asked : asked(chosen);
        const of = typeof expected === "function" ? expected(chosen) : expected;
        const answer = typeof of === "string" ? { status: of, answers: [] } : found(...[...of].sort());
        expect(await dig(pod(source), { server, name, type })).toEqual({ udp: answer, tcp: answer });
      });
    });
  });

  it.each(["client", "host-client"])("is found by the resolver of pod %s through its search list", async (source) => {
    const names = { kubernetes: "10.96.0.1", [`web.${namespace}`]: webIP, "www.outside.test": "192.0.2.1" };
    for (const [name, address] of Object.entries(names))
      expect((await pod(source).attempt(["getent", "ahostsv4", name])).stdout).toContain(`${address} `);
  });

  it("answers a resolver with more than six search domains and 256 characters", async () => {
    const long = Array.from({ length: 7 }, (_, index) => `a-rather-long-label-in-a-search-path-${index}.example.test`);
    const [searches, options] = [[...long, zone], [{ name: "ndots", value: "2" }]];
    const spec = { dnsPolicy: "None", dnsConfig: { nameservers: [clusterDns.ipv4], searches, options } };
    const resolver = await cluster().startPod({ name: "searching", node: "node-1", spec });
    expect(searches.join(" ").length).toBeGreaterThan(256);
    expect((await resolver.attempt(["getent", "ahostsv4", "web"])).stdout).toContain(`${webIP} `);
  });

  it("answers for objects created while it runs, and no longer once they are deleted", async () => {
    const name = `later.${zone}`;
    expect((await answers(name)).status).toBe("NXDOMAIN");
    await cluster().kubectl.apply([service({ namespace, name: "later", spec: { clusterIP: "10.96.77.2" } })]);
    await eventually("a new Service", changeSeenSeconds, () => answers(name), found("A 10.96.77.2"));
    await cluster().kubectl.delete("service", "later", namespace);
    await cluster().kubectl.apply([externalName("later", "www.outside.test", namespace)]);
    const changed = found("A 192.0.2.1", "CNAME www.outside.test.");
    await eventually("a changed Service", changeSeenSeconds, () => answers(name), changed);
    await cluster().kubectl.delete("service", "later", namespace);
    const status = async () => (await answers(name)).status;
    await eventually("the end of a deleted Service", changeSeenSeconds, status, "NXDOMAIN");
  });

  it("answers while the API server is down, and follows it once it is back", async () => {
    const { kubectl, controlPlane } = cluster();
    const path = "jsonpath={.items[*].metadata.uid} {.items[*].status.containerStatuses[*].restartCount}";
    const restarts = () => kubectl.run(["get", "pods", "-n", "kube-system", "-l", "k8s-app=kube-dns", "-o", path]);
    const before = await restarts();
    await controlPlane.stopApi();
    expect(await answers(`web.${zone}`)).toEqual(found(`A ${webIP}`));
    await controlPlane.startApiAgain();
    await kubectl.apply([service({ namespace, name: "after", spec: { clusterIP: "10.96.77.3" } })]);
    // CoreDNS tries to reach it every 30 seconds at last.
    await eventually("a Service that is new since", 120, () => answers(`after.${zone}`), found("A 10.96.77.3"));
    expect(await restarts()).toBe(before);
  });

  it("uses other upstreams and stub domains after a change to the cluster file, over TLS too", async () => {
    const pki = await outsidePki();
    const tls = `tls ${pki.file("dns.crt")} ${pki.file("dns.key")}\n`;
    cluster().controlPlane.startDns("tls-dns", answering("tls://.:853", "192.0.2.8 www.outside.test", tls));
    cluster().controlPlane.startDns("other-dns", answering("other.test:5302", "192.0.2.9 host.other.test"));
    await deploy(cluster(), {
      ...props,
      stubDomains: { "other.test": ["172.30.0.1:5302"] },
      upstreamNameservers: ["172.30.0.1"],
      upstreamTLSServerName: outsideServerName,
      authoritativeDNS: { pods: "verified" },
    });
    // the pods of the previous description stay in endpoints until they are gone
    const pods = () => cluster().kubectl.list("pods", "kube-system", "k8s-app=kube-dns");
    await until("one set of pods", 60, async () => (await pods()).length === 2);
    await eventually("the other upstream", 60, () => answers("www.outside.test"), found("A 192.0.2.8"));
    await eventually("the other stub domain", 60, () => answers("host.other.test"), found("A 192.0.2.9"));
    expect((await answers("host.corp.test")).status).not.toBe("NOERROR");
    const ofPod = (address: string) => answers(`${address.replaceAll(".", "-")}.${namespace}.pod.cluster.local`);
    expect(await ofPod(chosen.alpha)).toEqual(found(`A ${chosen.alpha}`));
    expect((await ofPod("192.0.2.7")).status).toBe("NXDOMAIN");
  });

  const pod = (name: string) => sources[name] as Pod;

  /** The answer of both transports; they must agree. */
  async function answers(name: string, source = "client", server: string = clusterDns.ipv4): Promise<DnsAnswer> {
    const { udp, tcp } = await dig(pod(source), { server, name });
    expect(tcp).toEqual(udp);
    return udp;
  }
}

/** A server that knows a single name. */
function answering(zoneAndPort: string, entry: string, more = ""): string {
  return `${zoneAndPort} {\n  ${more}  hosts {\n    ${entry}\n  }\n}\n`;
}
