import { beforeAll, describe, expect, it } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import { agentImage, importAgentImage } from "../../../../rig/cluster/agent-image";
import { deploy } from "../../../../rig/cluster/deploy";
import { externalName, pod as podObject, service } from "../../../../rig/cluster/objects";
import { outsidePki, outsideServerName } from "../../../../rig/cluster/outside-pki";
import type { Pod } from "../../../../rig/cluster/pod";
import { until } from "../../../../rig/until";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { dig, type DnsAnswer } from "../../lib/dig";
import { knownToDns } from "../../lib/known-to-dns";
import { ledToCache } from "../../lib/node-cache";
import { useCluster } from "../../lib/use-cluster";
import { digitFirstIP, namespace, objects, webIP, webIPv6, zone } from "./objects";
import { eventually } from "../../../eventually";

/** Addresses assigned by the cluster. */
interface Chosen {
  readonly alpha: string;
  readonly beta: string;
  readonly never: string;
  /** Number of IP families of the cluster. */
  readonly families: number;
}

interface Case {
  readonly what: string;
  readonly name: string | ((chosen: Chosen) => string);
  readonly type?: string;
  /** Default: NOERROR. */
  readonly status?: string;
  readonly answers?: readonly string[] | ((chosen: Chosen) => readonly string[]);
}

// The behaviour tested by kubernetes/kubernetes test/e2e/network/dns.go and of the DNS specification 1.1.0.
const cases: readonly Case[] = [
  { what: "the API server's Service", name: "kubernetes.default.svc.cluster.local", answers: ["A 10.96.0.1"] },
  { what: "the cluster DNS's own Service", name: "kube-dns.kube-system.svc.cluster.local", answers: ["A 10.96.0.10"] },
  { what: "the schema version", name: "dns-version.cluster.local", type: "TXT", answers: ['TXT "1.1.0"'] },
  { what: "a cluster IP", name: `web.${zone}`, answers: [`A ${webIP}`] },
  { what: "a name in upper case", name: `WEB.${zone}`, answers: [`A ${webIP}`] },
  {
    what: "a name that starts with a digit (RelaxedServiceNameValidation)",
    name: `1web.${zone}`,
    answers: [`A ${digitFirstIP}`],
  },
  { what: "a Service that does not exist", name: `nobody.${zone}`, status: "NXDOMAIN" },
  { what: "a name without svc, as before Kubernetes 1.3", name: `web.${namespace}.cluster.local`, status: "NXDOMAIN" },
  { what: "a namespace that does not exist", name: "web.nowhere.svc.cluster.local", status: "NXDOMAIN" },
  { what: "a type that a name does not have", name: `web.${zone}`, type: "MX", answers: [] },
  {
    what: "the port of a Service",
    name: `_http._tcp.web.${zone}`,
    type: "SRV",
    // one record per name, its weight shared among the addresses
    answers: ({ families }) => [`SRV 0 ${100 / families} 80 web.${zone}.`],
  },
  { what: "a port that a Service does not have", name: `_smtp._tcp.web.${zone}`, type: "SRV", status: "NXDOMAIN" },
  {
    what: "the reverse name of a cluster IP",
    name: "1.77.96.10.in-addr.arpa",
    type: "PTR",
    answers: [`PTR web.${zone}.`],
  },
  { what: "a headless Service", name: `peers.${zone}`, answers: ({ alpha, beta }) => [`A ${alpha}`, `A ${beta}`] },
  {
    what: "the ports of a headless Service",
    name: `_http._tcp.peers.${zone}`,
    type: "SRV",
    answers: [`SRV 0 50 80 alpha.peers.${zone}.`, `SRV 0 50 80 beta.peers.${zone}.`],
  },
  { what: "hostname and subdomain of a pod", name: `alpha.peers.${zone}`, answers: ({ alpha }) => [`A ${alpha}`] },
  {
    what: "the reverse name of a headless Service's pod",
    name: ({ beta }) => `${beta.split(".").reverse().join(".")}.in-addr.arpa`,
    type: "PTR",
    answers: [`PTR beta.peers.${zone}.`],
  },
  { what: "a headless Service with no ready pod", name: `unready.${zone}`, status: "NXDOMAIN" },
  { what: "one that publishes unready pods", name: `anyway.${zone}`, answers: ({ never }) => [`A ${never}`] },
  { what: "a pod by its address", name: `192-0-2-7.${namespace}.pod.cluster.local`, answers: ["A 192.0.2.7"] },
  {
    what: "a chain of ExternalName Services",
    name: `foo.${zone}`,
    answers: [`A ${webIP}`, `CNAME bar.${zone}.`, `CNAME web.${zone}.`],
  },
  {
    what: "an ExternalName outside the cluster",
    name: `outside.${zone}`,
    answers: ["A 192.0.2.1", "CNAME www.outside.test."],
  },
  { what: "a name outside the cluster", name: "www.outside.test", answers: ["A 192.0.2.1"] },
  { what: "a name outside the cluster that does not exist", name: "nobody.outside.test", status: "NXDOMAIN" },
  { what: "a name of a stub domain", name: "host.corp.test", answers: ["A 192.0.2.5"] },
  { what: "a fixed name", name: "fixed.test", answers: ["A 192.0.2.6"] },
];

const dualStackCases: readonly Case[] = [
  { what: "an IPv6 cluster IP", name: `web.${zone}`, type: "AAAA", answers: [`AAAA ${webIPv6}`] },
  {
    what: "the reverse name of an IPv6 cluster IP",
    name: "1.0.7.7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.9.0.0.0.0.d.f.ip6.arpa",
    type: "PTR",
    answers: [`PTR web.${zone}.`],
  },
  {
    what: "an IPv6 address outside the cluster",
    name: "www.outside.test",
    type: "AAAA",
    answers: ["AAAA 2001:db8::1"],
  },
];

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
    if (nodeCache) await importAgentImage(cluster());
    await deploy(cluster(), props);
    const ready = ["wait", "--for=condition=Ready", "--timeout=300s", "pod"];
    await kubectl.run([...ready, "client", "host-client"]);
    await kubectl.run([...ready, "-n", namespace, "peer-a", "peer-b"]);
    chosen = {
      families: servers.length,
      alpha: (await cluster().pod("peer-a", namespace)).address,
      beta: (await cluster().pod("peer-b", namespace)).address,
      never: await until(
        "an address of the unready pod",
        30,
        async () => (await cluster().pod("never", namespace)).address || undefined,
      ),
    };
    for (const name of ["client", "host-client"]) sources[name] = await cluster().pod(name);
    if (nodeCache) for (const node of cluster().nodes) await ledToCache(node);
    for (const client of Object.values(sources).slice(0, 1))
      await knownToDns(cluster(), client, {
        [`web.${zone}`]: [webIP],
        [`peers.${zone}`]: [chosen.alpha, chosen.beta],
        [`anyway.${zone}`]: [chosen.never],
      });
    // kube-proxy may take a moment after the last pod became ready
    for (const source of Object.keys(sources))
      for (const server of servers)
        await until(
          "cluster DNS to answer",
          60,
          async () => (await answers(source, server, `alpha.peers.${zone}`)).status === "NOERROR",
        );
  });

  describe.each(servers)("asked at %s", (server) => {
    describe.each(["client", "host-client"])("from pod %s", (source) => {
      it.each([...cases, ...(dualStack ? dualStackCases : [])])(
        "$what",
        async ({ name, type, status = "NOERROR", answers: expected = [] }) => {
          const asked = typeof name === "string" ? name : name(chosen);
          const answer = {
            status,
            answers: typeof expected === "function" ? [...expected(chosen)].sort() : [...expected].sort(),
          };
          expect(await dig(pod(source), { server, name: asked, type })).toEqual({ udp: answer, tcp: answer });
        },
      );
    });
  });

  it.each(["client", "host-client"])("is found by the resolver of pod %s through its search list", async (source) => {
    const { stdout } = await pod(source).attempt(["getent", "ahostsv4", "kubernetes"]);
    expect(stdout).toContain("10.96.0.1 ");
    expect((await pod(source).attempt(["getent", "ahostsv4", `web.${namespace}`])).stdout).toContain(`${webIP} `);
    expect((await pod(source).attempt(["getent", "ahostsv4", "www.outside.test"])).stdout).toContain("192.0.2.1 ");
  });

  it("answers a resolver with more than six search domains and 256 characters", async () => {
    const { kubectl } = cluster();
    const long = Array.from({ length: 7 }, (_, index) => `a-rather-long-label-in-a-search-path-${index}.example.test`);
    const dnsConfig = {
      nameservers: [clusterDns.ipv4],
      searches: [...long, zone],
      options: [{ name: "ndots", value: "2" }],
    };
    await kubectl.apply([podObject({ name: "searching", node: "node-1", spec: { dnsPolicy: "None", dnsConfig } })]);
    await kubectl.run(["wait", "--for=condition=Ready", "pod/searching", "--timeout=300s"]);
    const resolver = await cluster().pod("searching");
    expect(dnsConfig.searches.join(" ").length).toBeGreaterThan(256);
    expect((await resolver.attempt(["getent", "ahostsv4", "web"])).stdout).toContain(`${webIP} `);
  });

  it("answers for objects created while it runs, and no longer once they are deleted", async () => {
    const { kubectl } = cluster();
    const name = `later.${zone}`;
    expect((await answers("client", clusterDns.ipv4, name)).status).toBe("NXDOMAIN");
    await kubectl.apply([service({ namespace, name: "later", spec: { clusterIP: "10.96.77.2" } })]);
    await eventually("a new Service", changeSeenSeconds, () => answers("client", clusterDns.ipv4, name), {
      status: "NOERROR",
      answers: ["A 10.96.77.2"],
    });
    await kubectl.delete("service", "later", namespace);
    await kubectl.apply([externalName("later", "www.outside.test", namespace)]);
    await eventually("a changed Service", changeSeenSeconds, () => answers("client", clusterDns.ipv4, name), {
      status: "NOERROR",
      answers: ["A 192.0.2.1", "CNAME www.outside.test."],
    });
    await kubectl.delete("service", "later", namespace);
    await eventually(
      "the end of a deleted Service",
      changeSeenSeconds,
      async () => (await answers("client", clusterDns.ipv4, name)).status,
      "NXDOMAIN",
    );
  });

  it("answers while the API server is down, and follows it once it is back", async () => {
    const { kubectl, controlPlane } = cluster();
    const restarts = () =>
      kubectl.run([
        "get",
        "pods",
        "-n",
        "kube-system",
        "-l",
        "k8s-app=kube-dns",
        "-o",
        "jsonpath={.items[*].metadata.uid} {.items[*].status.containerStatuses[*].restartCount}",
      ]);
    const before = await restarts();
    await controlPlane.stopApi();
    expect(await answers("client", clusterDns.ipv4, `web.${zone}`)).toEqual({
      status: "NOERROR",
      answers: [`A ${webIP}`],
    });
    await controlPlane.startApiAgain();
    await kubectl.apply([service({ namespace, name: "after", spec: { clusterIP: "10.96.77.3" } })]);
    // CoreDNS tries to reach it every 30 seconds at last.
    await eventually("a Service that is new since", 120, () => answers("client", clusterDns.ipv4, `after.${zone}`), {
      status: "NOERROR",
      answers: ["A 10.96.77.3"],
    });
    expect(await restarts()).toBe(before);
  });

  it("uses other upstreams and stub domains after a change to the cluster file, over TLS too", async () => {
    const pki = await outsidePki();
    cluster().controlPlane.startDns(
      "tls-dns",
      `tls://.:853 {\n  tls ${pki.file("dns.crt")} ${pki.file("dns.key")}\n  hosts {\n    192.0.2.8 www.outside.test\n  }\n}\n`,
    );
    cluster().controlPlane.startDns("other-dns", answering("other.test:5302", "192.0.2.9 host.other.test"));
    await deploy(cluster(), {
      ...props,
      stubDomains: { "other.test": ["172.30.0.1:5302"] },
      upstreamNameservers: ["172.30.0.1"],
      upstreamTLSServerName: outsideServerName,
      authoritativeDNS: { pods: "verified" },
    });
    // the pods of the previous description stay in endpoints until they are gone
    await until("one set of pods", 60, async () => (await kubeDnsPods()) === 2);
    await eventually("the other upstream", 60, () => answers("client", clusterDns.ipv4, "www.outside.test"), {
      status: "NOERROR",
      answers: ["A 192.0.2.8"],
    });
    await eventually("the other stub domain", 60, () => answers("client", clusterDns.ipv4, "host.other.test"), {
      status: "NOERROR",
      answers: ["A 192.0.2.9"],
    });
    expect((await answers("client", clusterDns.ipv4, "host.corp.test")).status).not.toBe("NOERROR");
    const dashes = (address: string) => address.replaceAll(".", "-");
    expect(await answers("client", clusterDns.ipv4, `${dashes(chosen.alpha)}.${namespace}.pod.cluster.local`)).toEqual({
      status: "NOERROR",
      answers: [`A ${chosen.alpha}`],
    });
    expect((await answers("client", clusterDns.ipv4, `192-0-2-7.${namespace}.pod.cluster.local`)).status).toBe(
      "NXDOMAIN",
    );
  });

  function pod(name: string): Pod {
    const source = sources[name];
    if (source === undefined) throw new Error(`no pod ${name}`);
    return source;
  }

  /** The answer of both transports; they must agree. */
  async function answers(source: string, server: string, name: string): Promise<DnsAnswer> {
    const { udp, tcp } = await dig(pod(source), { server, name });
    expect(tcp).toEqual(udp);
    return udp;
  }

  async function kubeDnsPods(): Promise<number> {
    return (await cluster().kubectl.list("pods", "kube-system", "k8s-app=kube-dns")).length;
  }
}

/** A server that knows a single name. */
function answering(zoneAndPort: string, entry: string): string {
  return `${zoneAndPort} {\n  hosts {\n    ${entry}\n  }\n}\n`;
}
