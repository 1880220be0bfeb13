import { writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { clusterDns } from "../../../rig/cluster/addresses";
import { deploy } from "../../../rig/cluster/deploy";
import { namespaceObject, pod, type PodProps, service } from "../../../rig/cluster/objects";
import type { Pod } from "../../../src/model/kubernetes/kinds";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { dig, answered, knownToDns } from "../lib/dig";
import { compileLookups, lookups, type CLibrary } from "../lib/lookups";
import { useCluster, configureKubelets } from "../lib/use-cluster";
import { eventually } from "../../eventually";
import { firewall } from "../lib/node-faults";
import { facts } from "../lib/usual";
import { ledToCache, podsOf, sumOf } from "../lib/programs";
import { readText } from "../../../rig/repository";

// What pods are told about DNS, what they are called, and which DNS pods answer them.

const namespace = "names";
const zone = `${namespace}.svc.cluster.local`;
const linkLocal = ["169.254.20.10", "fd00:169:254:20::10"];
const outside = "172.30.0.1";
const resolvConf = "/etc/pods-resolv.conf";

const props: ClusterDnsProps = {
  ...facts,
  clusterDNS: [clusterDns.ipv4, clusterDns.ipv6],
  kubernetesVersion: "1.37",
  upstreamNameservers: [outside],
  resolvConf,
  trafficDistribution: "PreferSameZone",
  authoritativeDNS: { kind: "DaemonSet", pods: "disabled" },
  nodeLocalDNS: { interception: "link-local" },
  tenancy: { tenants: [{ name: "baz", namespaces: ["bar"] }] },
  admission: { allowedUsers: ["admin"], allowedGroups: ["system:masters"] },
};

const cluster = useCluster({ nodes: 3, ipFamilies: "dual" });

/** Runs pods until they are ready. */
async function start(pods: readonly PodProps[]): Promise<void> {
  await cluster().kubectl.apply(pods.map((each) => pod({ namespace, ...each })));
  for (const each of pods) await cluster().readyPod(each.name, namespace);
}

beforeAll(async () => {
  const { kubectl, nodes } = cluster();
  for (const [index, zoneOfNode] of ["a", "b", "b"].entries())
    await kubectl.run(["label", "node", `node-${index + 1}`, `topology.kubernetes.io/zone=${zoneOfNode}`]);
  for (const node of nodes)
    writeFileSync(
      node.diskFile(resolvConf.slice(1)),
      `search corp.test lab.test\nnameserver ${outside}\noptions timeout:2\n`,
    );
  await kubectl.apply([namespaceObject(namespace), namespaceObject("bar")]);
  await deploy(cluster(), props);
});

const ofNode = { searches: ["corp.test", "lab.test"], nameservers: [outside], options: ["timeout:2"] };
const nothing = { searches: ["."], nameservers: ["127.0.0.1", "::1"], options: [] };

describe.each([
  ["service-ip", 1, { nodeLocalDNS: { interception: "service-ip" } }, props.clusterDNS, ofNode],
  ["link-local, nothing inherited", 2, { resolvConf: "" }, linkLocal, nothing],
  ["link-local", 3, {}, linkLocal, ofNode],
] as const)("the resolv.conf of a pod: %s", (what, node, edit, nameservers, inherited) => {
  const described: ClusterDnsProps = { ...props, ...edit };
  const prefix = what.replaceAll(/\W+/g, "-");
  const own = { nameservers: ["192.0.2.53"], searches: ["own.test"], options: [{ name: "ndots", value: "2" }] };
  const ofCluster = {
    searches: [zone, "svc.cluster.local", "cluster.local", ...inherited.searches.filter((each) => each !== ".")],
    nameservers,
    options: ["ndots:5"],
  };
  const policies = [
    ["ClusterFirst", {}, ofCluster],
    ["ClusterFirstWithHostNet", { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" }, ofCluster],
    ["ClusterFirst on the host network", { hostNetwork: true }, inherited],
    ["Default", { dnsPolicy: "Default" }, inherited],
    ["None", { dnsPolicy: "None", dnsConfig: own }, { ...own, options: ["ndots:2"] }],
  ] as const;
  const nameOf = (policy: string) => `${prefix}-${policy.replaceAll(/\W+/g, "-")}`.toLowerCase();

  beforeAll(async () => {
    await configureKubelets(cluster(), described, [cluster().node(node)]);
    await start(policies.map(([policy, spec]) => ({ name: nameOf(policy), node: `node-${node}`, spec })));
  });

  it.each(policies)("%s", async (policy, _, expected) => {
    const told = await cluster().pod(nameOf(policy), namespace);
    const lines = [
      `search ${expected.searches.join(" ")}`,
      ...expected.nameservers.map((server) => `nameserver ${server}`),
      ...(expected.options.length > 0 ? [`options ${expected.options.join(" ")}`] : []),
    ];
    expect(await told.exec(["cat", "/etc/resolv.conf"])).toBe(lines.map((line) => `${line}\n`).join(""));
  });
});

describe("names of pods and Services, asked at the cache's own addresses", () => {
  const peer = { app: "peer" };
  const named = { hostname: "alpha", subdomain: "peers" };
  const overridden = { hostname: "beta", subdomain: "peers", hostnameOverride: "db.example.test" };
  /** By pod, its addresses. */
  const addresses: Record<string, readonly string[]> = {};

  beforeAll(async () => {
    const headless = { ipFamilyPolicy: "RequireDualStack", clusterIP: "None" };
    await cluster().kubectl.apply([
      service({ name: "peers", namespace, selector: peer, spec: headless }),
      service({ name: "1web", namespace, spec: { clusterIP: "10.96.77.2" } }),
      service({ name: "1web", namespace: "bar", spec: { clusterIP: "10.96.77.3" } }),
    ]);
    const pods = Object.entries({ plain: {}, named, overridden });
    await start(pods.map(([name, spec]) => ({ name, labels: peer, node: "node-1", spec })));
    for (const [name] of pods) {
      const running = await cluster().kubectl.get<Pod>("pod", name, namespace);
      addresses[name] = (running?.status?.podIPs ?? []).map(({ ip }) => ip);
    }
    await knownToDns(cluster(), await cluster().pod("plain", namespace), {
      [`peers.${zone}`]: Object.values(addresses).map(([address = ""]) => address),
      "1web.bar.baz.svc.cluster.local": ["10.96.77.3"],
    });
    await ledToCache(cluster().node(1));
  });

  it.each([
    ["plain", "plain", "plain"],
    ["named", "alpha", `alpha.peers.${zone}`],
    ["overridden", "db.example.test", "db.example.test"],
  ])("pod %s calls itself %s, in full %s", async (name, short, full) => {
    const itself = await cluster().pod(name, namespace);
    expect((await itself.exec(["hostname"])).trim()).toBe(short);
    expect((await itself.exec(["hostname", "-f"])).trim()).toBe(full);
  });

  describe.each(linkLocal)("%s", (server) => {
    /** UDP and TCP must agree. */
    async function ask(name: string, type = "A"): Promise<readonly string[] | string> {
      const { udp, tcp } = await dig(await cluster().pod("plain", namespace), { server, name, type });
      expect(tcp).toEqual(udp);
      return udp.status === "NOERROR" ? udp.answers : udp.status;
    }
    const records = (pods: readonly string[], type: "A" | "AAAA") =>
      pods
        .flatMap((each) => addresses[each] ?? [])
        .filter((address) => address.includes(":") === (type === "AAAA"))
        .map((address) => `${type} ${address}`)
        .sort();

    it.each(["A", "AAAA"] as const)("hostname and subdomain (%s), whatever the pod calls itself", async (type) => {
      // IPv6 has a slice of its own.
      const all = records(["plain", "named", "overridden"], type);
      await eventually("the pods' addresses in DNS", 90, () => ask(`peers.${zone}`, type), all);
      expect(await ask(`alpha.peers.${zone}`, type)).toEqual(records(["named"], type));
      expect(await ask(`beta.peers.${zone}`, type)).toEqual(records(["overridden"], type));
      expect(await ask(`db.peers.${zone}`, type)).toBe("NXDOMAIN");
    });

    it("a pod without a host name has a name made of its address, which is the target of its SRV record", async () => {
      const ofAddress = (address: string) => `${address.replaceAll(/[.:]/g, "-")}.peers.${zone}`;
      const generated = (addresses["plain"] ?? []).map(ofAddress);
      const targets = await ask(`_http._tcp.peers.${zone}`, "SRV");
      for (const [index, name] of generated.entries()) {
        expect(targets).toContainEqual(expect.stringMatching(new RegExp(`^SRV \\d+ \\d+ 80 ${name}\\.$`)));
        const type = index === 0 ? "A" : "AAAA";
        expect(await ask(name, type)).toEqual(records(["plain"], type));
      }
    });

    it("no names of pods by their addresses with pods: disabled", async () => {
      const [address = ""] = addresses["plain"] ?? [];
      expect(await ask(`${address.replaceAll(".", "-")}.${namespace}.pod.cluster.local`)).toBe("NXDOMAIN");
    });
  });

  it("a tenant's pod is told the cache's addresses of both families", async () => {
    const member = await cluster().startPod({ name: "member", namespace: "bar", node: "node-1" });
    expect(await member.exec(["cat", "/etc/resolv.conf"])).toBe(
      [
        "search bar.baz.svc.cluster.local baz.svc.cluster.local svc.cluster.local cluster.local",
        ...linkLocal.map((server) => `nameserver ${server}`),
        "options ndots:6\n",
      ].join("\n"),
    );
    expect(await member.exec(["getent", "ahostsv4", "1web"])).toContain("10.96.77.3 ");
  });
});

describe("two nameservers in a pod, and one", () => {
  const searches = [zone, "svc.cluster.local", "cluster.local"];
  const silent = "192.0.2.53";
  const told = { both: linkLocal, one: linkLocal.slice(0, 1), "silent-first": [silent, ...linkLocal.slice(1)] };
  const name = "www.outside.test";
  const programs: Partial<Record<CLibrary, string>> = {};
  const ask = async (podName: keyof typeof told, library: CLibrary, count: number) => {
    const found = await lookups(await cluster().pod(podName, namespace), programs[library] ?? "", name, count);
    console.log(`${library}, ${podName}: ${JSON.stringify(found)}`);
    return found;
  };

  beforeAll(async () => {
    for (const library of ["musl", "glibc"] as const) programs[library] = await compileLookups(cluster(), library);
    const pods = Object.entries(told).map(([podName, nameservers]) => {
      // Nobody asks again because a busy machine is late; musl does so after half of the time.
      const timeout = { name: "timeout", value: podName === "silent-first" ? "3" : "30" };
      const options = [{ name: "ndots", value: "5" }, timeout];
      const dnsConfig = { nameservers, searches, options };
      return { name: podName, node: "node-1", spec: { dnsPolicy: "None", dnsConfig } };
    });
    await start(pods);
    await firewall(cluster().node(1), "prerouting priority -400", `ip daddr ${silent} drop`);
    await ledToCache(cluster().node(1));
  });

  it("musl asks both at once, glibc only the first", async () => {
    for (const [library, factor] of [
      ["musl", 2],
      ["glibc", 1],
    ] as const) {
      const [both, one] = [await ask("both", library, 500), await ask("one", library, 500)];
      expect({ library, ...both }).toMatchObject({ errors: 0, queries: factor * one.queries });
      expect(one.errors).toBe(0);
    }
  });

  it("musl does not wait for one that is silent, glibc does, for each query", async () => {
    const [musl, glibc] = [await ask("silent-first", "musl", 5), await ask("silent-first", "glibc", 1)];
    expect([musl.errors, glibc.errors]).toEqual([0, 0]);
    expect(glibc.p50).toBeGreaterThan(musl.p99);
  });
});

it.each([
  ["node-1", ["node-1"]],
  ["node-2", ["node-2", "node-3"]],
])("a pod on %s is answered by cluster DNS of its own zone", async (node, near) => {
  const client = await cluster().startPod({ name: `zone-of-${node}`, namespace, node });
  const before = await askedByNode();
  // a type that nobody else asks for, each from a new socket
  const question = `dig +tries=1 +time=10 @${clusterDns.ipv4} ${zone} MX`;
  await client.exec(["sh", "-c", Array.from({ length: 30 }, () => question).join(" && ")]);
  const after = await askedByNode();
  const askedNow = Object.keys(after).filter((each) => after[each] !== before[each]);
  expect(near).toEqual(expect.arrayContaining(askedNow));
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((total, each) => total + each);
  expect(sum(after) - sum(before)).toBe(30);
});

describe("on nodes that are tainted, where nobody inherits servers from a node", () => {
  beforeAll(async () => {
    const role = "node-role.kubernetes.io";
    await cluster().kubectl.run(["label", "node", "node-1", `${role}/infra=`]);
    await cluster().kubectl.run(["label", "node", "node-3", `${role}/control-plane=`]);
    for (const [node, taint] of [
      ["node-1", `${role}/infra`],
      ["node-2", "dns-only"],
      ["node-3", `${role}/control-plane`],
    ] as const)
      await cluster().kubectl.run(["taint", "node", node, `${taint}=:NoSchedule`]);
    await configureKubelets(cluster(), { ...props, resolvConf: "" });
  });

  it.each([
    ["infra-nodes", "node-1"],
    ["control-plane-only", "node-3"],
    ["dns-only", "node-2"],
  ])("clusters/%s.yaml puts CoreDNS on %s, and the cache stays everywhere", async (file, node) => {
    const { kubectl, nodes } = cluster();
    const text = readText(`clusters/${file}.yaml`);
    const { kind = "Deployment", nodePlacement } = (parse(text) as ClusterDnsProps).authoritativeDNS ?? {};
    if (kind === "Deployment") await kubectl.delete("daemonset", "coredns", "kube-system");
    await deploy(cluster(), { ...props, resolvConf: "", authoritativeDNS: { pods: "disabled", kind, nodePlacement } });

    await eventually("CoreDNS on its node", 60, () => nodesOf("kube-dns"), [node]);
    const all = nodes.map(({ name }) => name);
    await eventually("caches", 60, () => nodesOf("node-local-dns"), all);
    const client = await cluster().pod("plain", namespace);
    for (const server of [clusterDns.ipv4, clusterDns.ipv6, ...linkLocal]) {
      const ask = () => dig(client, { server, name: "www.outside.test" });
      await eventually(`answers at ${server}`, 30, ask, answered("A 192.0.2.1"));
    }
  });
});

/** The nodes with a pod of the app that is not ending, each once. */
async function nodesOf(app: string): Promise<string[]> {
  return [...new Set((await podsOf(cluster(), app)).map(({ spec }) => spec.nodeName ?? ""))].sort();
}

/** How many queries for MX records the CoreDNS of each node has had. */
async function askedByNode(): Promise<Readonly<Record<string, number>>> {
  const counts = (await podsOf(cluster(), "kube-dns")).map(async ({ metadata, spec }) => {
    const path = `/api/v1/namespaces/kube-system/pods/${metadata.name}:9153/proxy/metrics`;
    const text = await cluster().kubectl.run(["get", "--raw", path]);
    return [spec.nodeName ?? "", sumOf(text, /^coredns_dns_requests_total\{.*type="MX"/)] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}
