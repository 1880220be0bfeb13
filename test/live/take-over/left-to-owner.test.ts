import { describe, expect, it } from "vitest";
import { cilium, coreDns, corefile, inKubeSystem, kubeadm, nodeCache, service, taken, without } from "./objects";

const owned = (labels: object, text = corefile()) => kubeadm(text, "", coreDns({}, { labels }));
const stub = "corp.example {\n  cache 30\n  forward . 10.1.2.3\n}\n";
const eks = { "eks.amazonaws.com/component": "coredns" };

describe("CoreDNS that somebody would restore is left to its owner", () => {
  // By which marks: test/model/running/restorer.
  it("and nothing else changes", () => {
    const scaled = coreDns({ replicas: 5 }, { labels: eks });
    const { own, reasons, different, todo } = taken([...without("Deployment"), scaled]);
    expect(own).toEqual({ kubeProxyMode: "iptables", authoritativeDNS: { kind: "Existing" } });
    const why = "belongs to EKS, which would undo changes (eks.amazonaws.com/component=coredns)";
    expect(reasons["authoritativeDNS"]).toBe(`Deployment kube-system/coredns ${why}`);
    expect([different, todo]).toEqual([[], []]);
  });

  const marked = 'Deployment coredns: has marks of somebody ("a.example/b=c"): set authoritativeDNS.kind: Existing';
  it.each<[what: string, labels: object, todo?: string]>([
    ["kubeadm's", { "k8s-app": "kube-dns" }],
    ["what an addon manager only creates", { "addonmanager.kubernetes.io/mode": "EnsureExists" }],
    ["what only has marks of somebody", { "a.example/b": "c" }, marked],
  ])("but not %s", (_, labels, todo) => {
    const found = taken(owned(labels));
    expect(found.own).not.toHaveProperty("authoritativeDNS");
    expect(found.todo).toEqual(todo === undefined ? [] : [expect.stringContaining(todo)]);
  });

  it("and a node cache goes past what it keeps, which is said", () => {
    const text = corefile("rewrite name a.example b.example\n  log", undefined, stub.replace("30", "5"));
    expect(taken(owned(eks, text))).toMatchObject({
      own: { stubDomains: { "corp.example": ["10.1.2.3"] }, nodeLocalDNS: { askClusterDNS: ["a.example"] } },
      past: ["success", "denial"].map(
        (of) => `ConfigMap coredns: server block corp.example: cache ${of} ttl 5; ours: ${of} ttl 30`,
      ),
      different: [],
    });
  });

  it.each([
    ["forward . /etc/resolv.conf", ["rewrite name a.example b.example"], "a.example"],
    ["forward . /etc/resolv.conf", ["dns64"], "names outside"],
    ["forward . /etc/resolv.conf", [], undefined],
    ["forward . __PILLAR__CLUSTER__DNS__", ["rewrite name a.example b.example"], undefined],
  ])("and a node cache that is there goes past it: %s, %j", (outside, lines, names) => {
    const { todo } = taken([...owned(eks, corefile(lines.join("\n"))), ...nodeCache(outside)]);
    const said = todo.filter((each) => each.startsWith("ConfigMap coredns: pods do not get its answers for "));
    const told = ` for ${names}, today and with this file`;
    expect(said).toEqual(names === undefined ? [] : [expect.stringContaining(told)]);
  });
  const entries = stub.replace("}", "  hosts {\n    10.9.9.9 a.corp.example\n    fallthrough\n  }\n}");
  it.each<[what: string, lines: string, after: string, askClusterDNS: unknown]>([
    ["nothing but ours", "", "", undefined],
    ["something of any name", "dns64", "", "all"],
    ["a file of hosts, which its owner writes", "hosts /etc/coredns/NodeHosts", "", "all"],
    ["names of a zone", "rewrite name suffix .a.example .b.example answer auto", "", ["a.example"]],
    ["names of the cluster", "rewrite name a.default.svc.cluster.local b.default.svc.cluster.local", "", undefined],
    ["a name that a block of its own takes first", "rewrite name a.corp.example b.example", stub, undefined],
    ["servers of a zone whose block has entries of its own", "", entries, ["corp.example"]],
    ["servers that only it can ask", "", "corp.example {\n  forward . 127.0.0.1:5353\n}\n", ["corp.example"]],
  ])("and a node cache asks it for what it answers in its own way: %s", (_, lines, after, askClusterDNS) => {
    const found = taken(owned(eks, corefile(lines, undefined, after)));
    expect(found.own["nodeLocalDNS"]).toEqual(askClusterDNS && { askClusterDNS });
    expect(found.past).toEqual([]);
  });

  const rke2 = { "app.kubernetes.io/name": "rke2-coredns", "k8s-app": "kube-dns" };
  const ofRke2 = { name: "rke2-coredns", labels: { ...eks, "k8s-app": "kube-dns" } };
  const ports = (names: readonly [string, string], targetPorts: readonly (string | number)[]) =>
    ["UDP", "TCP"].map((protocol, i) => ({ port: 53, protocol, name: names[i], targetPort: targetPorts[i] }));
  const usual = ports(["dns", "dns-tcp"], [53, 53]);
  const ofOpenShift = { "dns.operator.openshift.io/daemonset-dns": "default" };
  const openShift: readonly [metadata: object, spec: object] = [
    { namespace: "openshift-dns", name: "dns-default" },
    { selector: ofOpenShift, ports: ports(["dns", "dns-tcp"], ["dns", "dns-tcp"]) },
  ];
  const described = { namespace: "openshift-dns", name: "dns-default", selector: ofOpenShift, targetPort: 5353 };
  const withAgent = { agentImage: "registry.example/agent:1" };

  type Row = [what: string, metadata: object, spec: object, said?: object, why?: string, shared?: typeof withAgent];
  it.each<Row>([
    ["that of kubeadm and most clouds", {}, { ports: usual }],
    ["RKE2's", ofRke2, { selector: rke2, ports: usual }, { name: "rke2-coredns", selector: rke2 }],
    ["with other pods", {}, { selector: { app: "dns" } }, { selector: { app: "dns" } }],
    ["with other port names", {}, { ports: ports(["udp-53", "dns-tcp"], [53, 53]) }, { portNames: { udp: "udp-53" } }],
    ["OpenShift's", ...openShift, described, "agentImage"],
    ["OpenShift's, and an agent", ...openShift, described, "", withAgent],
  ])("with its Service: %s", (_, metadata, spec, said, why, shared) => {
    const container = { name: "dns", image: "coredns", ports: [{ name: "dns", containerPort: 5353 }] };
    const template = { metadata: { labels: ofOpenShift }, spec: { containers: [container] } };
    const marks = { namespace: "openshift-dns", labels: eks };
    const pods = inKubeSystem("DaemonSet", "dns-default", { spec: { template } }, marks);
    const of = { ...service.metadata, labels: eks, ...metadata };
    const other = { ...service, metadata: of, spec: { ...service.spec, ...spec } };
    const found = taken([other, pods], shared);
    expect(found.own["authoritativeDNS"]).toEqual({ kind: "Existing", ...(said && { service: said }) });
    expect(found.own["nodeLocalDNS"]).toEqual(why ? { state: "disabled" } : undefined);
    expect(found.reasons["nodeLocalDNS"] ?? "").toContain(why ?? "");
    // Without the workload nothing says which number a named port has.
    const ofPort = taken([other], shared).todo.filter((each) => each.includes("targetPort"));
    expect(ofPort).toHaveLength(said === described ? 1 : 0);
    const { reasons } = taken([other, pods, cilium()], shared);
    expect(reasons["nodeLocalDNS"] ?? "").toContain(said === described ? "Cilium's reach" : "");
  });
});
