import { describe, expect, it } from "vitest";
import { diagnose } from "../../../src/model/doctor/diagnose";
import type { Described } from "../../../src/model/doctor/described";
import type { Pod } from "../../../src/model/kubernetes/kinds";
import type { KubernetesObject } from "../../../src/model/kubernetes/object";
import * as edit from "./edit";
import { commands, described, findingsOf, found, healthy, idsOf, lastOf, props, renewed } from "./healthy";

const is = healthy();

describe("kubelets", () => {
  const kubelet = (clusterDNS: string[], clusterDomain = "cluster.local") => ({
    kubelets: new Map([...is.kubelets, ["node-2", { clusterDNS, clusterDomain }]]),
  });

  it("that name a server which does not answer, or another domain", () => {
    const differs = { id: "kubelet-dns-differs", where: "node node-2" };
    const evidence = ["clusterDNS is [10.96.0.99], it should be [10.96.0.10]"];
    expect(found(kubelet(["10.96.0.99"]))).toEqual([{ ...differs, evidence }]);
    const ofDomain = ["clusterDomain is corp.local, it should be cluster.local"];
    expect(found(kubelet(["10.96.0.10"], "corp.local"))).toEqual([{ ...differs, evidence: ofDomain }]);
    expect(diagnose({ ...is, ...kubelet(["10.96.0.99"]) })).toMatchObject([differs]);
  });

  /** All nodes are told the first address alone. */
  function expectIncomplete(from: Described, wanted: string, why: string): void {
    const [first, ...more] = found(kubelet(["10.96.0.10"]), from);
    expect([first?.id, more]).toEqual(["kubelet-incomplete", []]);
    const differs = `clusterDNS is [10.96.0.10], it should be ${wanted}`;
    expect(first?.evidence).toEqual(["node-1, node-2", differs, expect.stringContaining(why)]);
  }

  it("that do not know the second family, which the node's cache answers too", () => {
    const from = described({ ...props, clusterDNS: ["10.96.0.10", "fd00:96::a"] });
    expectIncomplete(from, "[10.96.0.10, fd00:96::a]", "fd00:96::a, which they need where the other family");
  });

  it("that lead pods to another link-local address, which ours may have", () => {
    const advice = (interception: "link-local" | "service-ip", address: string) =>
      findingsOf(kubelet([address]), described({ ...props, nodeLocalDNS: { interception } }))
        .flatMap((each) => (each.id === "kubelet-dns-differs" ? commands(each) : []))
        .filter((step) => step.includes("linkLocalAddresses: [169.254.25.10]"));
    expect(advice("link-local", "169.254.25.10")).toHaveLength(1);
    expect(advice("link-local", "10.96.0.99")).toEqual([]);
    expect(advice("service-ip", "169.254.25.10")).toEqual([]);
  });

  it("that go past the cache", () => {
    const from = described({ ...props, nodeLocalDNS: { interception: "link-local" } });
    expectIncomplete(from, "[169.254.20.10]", "past the node's cache");
  });
});

describe("the control plane", () => {
  const programs = ["kube-controller-manager", "kube-scheduler", "apiserver-1", "another"];
  const leases = (...ages: number[]) =>
    found({ leases: programs.map((name, i) => renewed(name, ages[i] ?? 99_999)) }).map(({ id, where }) => [id, where]);

  it("of which a program has stopped, by its Lease", () => {
    expect(leases(59, 61, 0)).toEqual([["controller-stopped", "kube-scheduler"]]);
    expect(leases(600, 0, 0)).toEqual([["controller-stopped", "kube-controller-manager"]]);
    expect(leases(0, 90_000, 0)).toEqual([["controller-lease-left", "kube-scheduler"]]);
  });

  it("whose clock is another than the API server's", () => expect(leases(500, 502, 505)).toEqual([]));

  it("none of whose Leases is renewed", () => {
    const stopped = ["kube-controller-manager", "kube-scheduler"].map((name) => ["controller-stopped", name]);
    expect(leases(3600, 3602, 3605)).toEqual(stopped);
  });
});

describe("kube-proxy", () => {
  const running = (mode: string) => ({
    proxyConfigurations: is.proxyConfigurations.map((each) => ({ ...each, mode })),
  });

  it("in another mode, or in one that cannot be read", () => {
    expect(found(running("ipvs"))).toMatchObject([{ id: "proxy-mode-differs" }]);
    expect(found({ proxyConfigurations: [] })).toMatchObject([{ id: "proxy-mode-unread" }]);
  });

  it("that should not be there, if more than its ConfigMap is", () => {
    const from = described({ ...props, kubeProxyMode: "none", cni: "cilium" });
    const left = running("iptables");
    expect(found(left, from)).toEqual([]);
    expect(idsOf({ ...left, workloads: undefined, pods: undefined }, from)).toContain("proxy-mode-unclear");
    const proxy = [edit.daemonSet("kube-proxy", { image: "registry.k8s.io/kube-proxy:v1.37.1" })];
    expect(found({ ...left, ...edit.adding("workloads", proxy, from) }, from)).toMatchObject([
      { id: "proxy-mode-differs" },
    ]);
  });

  it("that has stopped on a node, unless none answers at all", () => {
    const why = "error trying to reach service: dial tcp 10.0.0.2:10256: connect: connection refused";
    const kubeProxies = new Map([...is.kubeProxies, ["node-2", why]]);
    expect(found({ kubeProxies })).toMatchObject([{ id: "kube-proxy-stopped", where: "node node-2" }]);
    expect(found({ kubeProxies: new Map([["node-2", why]]) })).toEqual([]);
  });

  const faults = { "v1.35.3": 1, "v1.35.4": 0, "v1.32.9": 1, "v1.37.1": 0 };
  it.each(Object.entries(faults))("%s in nftables mode has %i known faults", (kubeletVersion, count) => {
    const change = edit.changing("nodes", /./, { status: { nodeInfo: { kubeletVersion } } });
    const from = described({ ...props, kubeProxyMode: "nftables" });
    expect(found(change, from).filter(({ id }) => id === "kube-proxy-faulty")).toHaveLength(count);
  });
});

describe("a watchdog that measures", () => {
  const listener = 'listener="udp-10.96.0.10"';
  it.each([
    [`foreign_listener{${listener}} 1`, "foreign-listener"],
    ['unusable_nameserver{file="/etc/resolv.conf",nameserver="10.96.0.10",fault="own"} 1', "resolver-unusable"],
    ['unfit_setting{setting="net.ipv4.ip_forward",value="0"} 1', "unfit-setting"],
    ["blocked 1", "blocked"],
    ["leftover_rules 1", "leftover-rules"],
    [`replies_lost{${listener}} 1`, "replies-lost"],
    ["cluster_dns_up 0", "cluster-dns-unreachable"],
    ['cluster_dns_up 1\ncluster_dns_answered{server="10.96.0.10"} 0.5', "cluster-dns-lossy"],
    [`local{${listener}} 0`, "cache-bypassed"],
    ['repairs_total{kind="rules"} 2', "rules-removed"],
  ])("%s is %s", (line, id) => {
    expect(found(edit.measured(...line.split("\n")))).toMatchObject([{ id, where: "node node-1" }]);
  });

  it("no way to the cluster DNS names other policies of its pods, and its kube-proxy", () => {
    const own = [edit.policy("by-hand", { "k8s-app": "kube-dns" }), edit.policy("other", { "k8s-app": "other" })];
    const from = described({ ...props, networkPolicies: true });
    const policies = edit.adding("networkPolicies", own, from);
    const [finding] = findingsOf({ ...edit.measured("cluster_dns_up 0"), ...policies }, from);
    expect(finding?.evidence).toEqual([
      "names that the cache does not have are not answered there",
      expect.stringMatching(/^1 of 2 nodes reach it/),
      expect.stringMatching(/^NetworkPolicy kube-system\/by-hand selects /),
    ]);
    const printed = commands(finding).join("\n");
    expect(printed).toContain("kubectl get networkpolicy by-hand -o yaml -n kube-system");
    expect(printed).toContain("/api/v1/nodes/http:node-1:10256/proxy/healthz");
  });

  it.each([
    ["net.ipv4.ip_local_port_range", "60000 60003", "32768 60999"],
    ["net.netfilter.nf_conntrack_max", "1024", "2048"],
  ])("%s of %s is set to what is usual, or more", (setting, value, to) => {
    const [finding] = findingsOf(edit.measured(`unfit_setting{setting="${setting}",value="${value}"} 1`));
    expect(finding?.next.at(-1)).toMatchObject({ program: "sysctl", args: ["-w", `${setting}=${to}`] });
  });

  it.each<[what: string, left: (cache: Pod) => Pod | undefined]>([
    ["has none", () => undefined],
    // The watchdog leads past it, as it should.
    ["has an evicted one", (cache) => ({ ...cache, status: { phase: "Failed", reason: "Evicted" } })],
  ])("queries past the cache of a node that %s say nothing", (_, left) => {
    const pods = edit.replaced(is.pods, "node-local-dns-0", left);
    expect(idsOf({ pods, ...edit.measured(`local{${listener}} 0`) })).not.toContain("cache-bypassed");
  });

  it("refused rules gives the kernel's reason from its log", () => {
    const change = edit.measured("rules_applied 0", 'kernel_errors_total{work="rules"} 3');
    const [name = ""] = is.metrics.keys();
    const log = '{"level":30,"msg":"watching"}\n{"level":40,"msg":"link nodelocaldns is a vxlan"}\nnot JSON';
    const complaint = `the last complaint in the log of kube-system/${name}: link nodelocaldns is a vxlan`;
    expect(found({ ...change, ...edit.logged(log, name, "watchdog") })).toMatchObject([
      { id: "rules-refused", evidence: ["rules: refused 3 times", complaint] },
    ]);
  });

  it("a silent cache is to be deleted, and who changes rules can be seen", () => {
    const silent = edit.measured(`local{${listener}} 0`, `cache_up{${listener}} 0`);
    expect(lastOf(silent)).toMatch(/^kubectl delete pod node-local-dns-0 /);
    expect(lastOf(edit.measured('repairs_total{kind="rules"} 2'))).toMatch(/^# on node-1, .*: nft monitor /);
  });

  it("says why queries go past the cache", () => {
    const flips = `flips_total{${listener},to="cluster-dns",reason="misses"} 2`;
    expect(found(edit.measured(`local{${listener}} 0`, flips))).toMatchObject([
      { evidence: ["at udp-10.96.0.10: taken out of use since the watchdog's start: misses (2 times)"] },
    ]);
  });

  it("only for its own node is said to be unreadable", () => {
    expect(found({}, described({ ...props, metricsAddress: "loopback" }))).toMatchObject([{ id: "watchdog-unread" }]);
  });
});

describe("another node-local-dns", () => {
  const configMap = { apiVersion: "v1", kind: "ConfigMap" };
  const service = { apiVersion: "v1", kind: "Service" };
  const cache = (name: string, labels: object) =>
    edit.daemonSet(name, { name: "node-cache", image: "registry.k8s.io/dns/k8s-dns-node-cache:1.23.0" }, labels);

  it.each([
    ["kubespray's", cache("nodelocaldns", { "k8s-app": "nodelocaldns" })],
    ["kOps'", cache("node-local-dns", { "k8s-addon": "nodelocaldns.addons.k8s.io" })],
    ["an addon manager's", cache("node-local-dns", { "addonmanager.kubernetes.io/mode": "Reconcile" })],
    ["one under another name", cache("dns-cache", {})],
  ])("%s", (_, foreign) => {
    const others = is.workloads.filter(({ metadata }) => metadata.name !== foreign.metadata.name);
    expect(found({ workloads: [...others, foreign] })).toContainEqual(
      expect.objectContaining({ id: "other-cache", where: `DaemonSet kube-system/${foreign.metadata.name}` }),
    );
  });

  it("is the cluster's own where the cluster file renders none", () => {
    const from = described({ ...props, nodeLocalDNS: { state: "disabled" } });
    expect(found(edit.adding("workloads", [cache("nodelocaldns", {})], from), from)).toEqual([]);
  });

  it("is not to be deleted while a kubelet leads pods to it", () => {
    const advice = (kubelets: typeof is.kubelets, ...args: string[]) => {
      const foreign = cache("nodelocaldns", {});
      const spec = { template: { spec: { containers: [{ name: "node-cache", image: "k8s-dns-node-cache", args }] } } };
      const others = edit.adding("workloads", [{ ...foreign, spec }]);
      const left = edit.adding("configMaps", [{ ...configMap, metadata: foreign.metadata }]);
      const all = findingsOf({ ...left, ...others, kubelets });
      const ours = all.filter(({ where }) => where.endsWith("/nodelocaldns"));
      const printed = ours.flatMap(commands).filter((each) => each.startsWith("kubectl delete"));
      return [printed.length, ours.flatMap(({ evidence }) => evidence).join()] as const;
    };
    const node2 = { clusterDNS: ["169.254.25.10"] };
    const used = advice(new Map([...is.kubelets, ["node-2", node2]]), "-localip", "169.254.25.10");
    expect(used).toEqual([0, expect.stringContaining("lead pods to 169.254.25.10")]);
    expect(used[1]).not.toContain("share");
    expect(advice(new Map())[0]).toBe(0);
    // Of a node that is down, nobody knows.
    const unread = advice(new Map([...is.kubelets].slice(0, 1)));
    expect(unread).toEqual([0, expect.stringContaining("was not read of node-2")]);
    const sharing = advice(is.kubelets, "-localip=169.254.20.10,10.96.0.10");
    expect(sharing).toEqual([1, expect.stringContaining("two caches share 169.254.20.10, 10.96.0.10")]);
  });

  it("with the name of ours becomes ours, and nothing that it uses is to be deleted before", () => {
    const name = "node-local-dns";
    const unlabelled = <T extends KubernetesObject>(all: readonly T[] | undefined) =>
      edit.replaced(all, name, (each) => ({ ...each, metadata: { ...each.metadata, labels: {} } }));
    const workloads = unlabelled(is.workloads);
    const metadata = { name: "kube-dns-upstream", namespace: "kube-system" };
    const services = [...unlabelled(is.services), { ...service, metadata, spec: {} }];
    const all = findingsOf({ workloads, services });
    expect(all.map(({ id }) => id)).not.toContain("other-cache-left");
    const [other] = all.filter(({ id }) => id === "other-cache");
    expect(other && commands(other)).toContainEqual(expect.stringContaining("apply"));
    expect(all.flatMap(commands).filter((each) => each.includes("delete"))).toEqual([]);
  });

  it("of which only objects are left, and not what the cluster file renders under the same name", () => {
    const metadata = { name: "nodelocaldns", namespace: "kube-system" };
    const upstream = { ...service, metadata: { name: "kube-dns-upstream", namespace: "kube-system" }, spec: {} };
    const unlabelled = is.services.map((each) => ({ ...each, metadata: { ...each.metadata, labels: {} } }));
    const left = edit.adding("configMaps", [{ ...configMap, metadata }]);
    expect(
      found({ ...left, services: [...unlabelled, upstream] }).filter(({ id }) => id.startsWith("other-cache")),
    ).toMatchObject([
      { id: "other-cache-left", where: "ConfigMap kube-system/nodelocaldns" },
      { id: "other-cache-left", where: "Service kube-system/kube-dns-upstream" },
    ]);
  });
});

it.each([
  ["v1.17.4", undefined, []],
  ["v1.18.4", undefined, ["cilium-faulty"]],
  ["v1.20.2", undefined, []],
  ["v1.17.4", "1.17.4", []],
  ["v1.17.4", "1.17.3", ["cilium-differs"]],
  ["v1.18.4", "1.17.4", ["cilium-faulty", "cilium-differs"]],
])("Cilium %s where the cluster file says %s", (version, ciliumVersion, ids) => {
  const said = ciliumVersion === undefined ? {} : { ciliumVersion };
  const from = described({ clusterDNS: ["10.96.0.10"], kubeProxyMode: "none", cni: "cilium", ...said });
  const cilium = edit.daemonSet("cilium", { name: "cilium-agent", image: `quay.io/cilium/cilium:${version}@sha256:0` });
  expect(idsOf(edit.adding("workloads", [cilium], from), from)).toEqual(ids);
});
