import { objectsOf } from "../../../src/live/objects-of";
import { describe, expect, it } from "vitest";
import { resolve } from "../../../src/model/check/resolve";
import {
  configMap,
  coreDns,
  corefile,
  inKubeSystem,
  kubeadm,
  kubeProxy,
  node,
  nodeCache,
  service,
  serviceSpec,
  taken,
} from "./objects";

const without = (kind: string, name?: string) =>
  kubeadm().filter((each) => each.kind !== kind || (name !== undefined && each.metadata.name !== name));
const owned = (labels: object, text = corefile()) => [
  service,
  node(),
  kubeProxy(),
  coreDns({}, { labels }),
  configMap("coredns", { Corefile: text }),
];
const eks = { "eks.amazonaws.com/component": "coredns" };
const cilium = (data: object = {}) => configMap("cilium-config", { "kube-proxy-replacement": "true", ...data });
const upgrade = /^kubeadm's next upgrade refuses CoreDNS 1\.14\.7/;

it("a cluster of kubeadm needs nothing but addresses, mode and version", () => {
  const text = "networking:\n  serviceSubnet: 10.96.0.0/16,fd00::/108\n  dnsDomain: cluster.local\n";
  const { description, different, past, todo } = taken([
    ...kubeadm(),
    node("v1.33.2"),
    configMap("kubeadm-config", { ClusterConfiguration: text }),
  ]);
  expect(description).toEqual({
    clusterDNS: ["10.96.0.10"],
    kubernetesVersion: "1.34",
    kubeProxyMode: "iptables",
    serviceCIDRs: ["10.96.0.0/16", "fd00::/108"],
  });
  expect(resolve(description).problems).toBeUndefined();
  expect([different, past, todo]).toEqual([[], [], [expect.stringMatching(upgrade)]]);
});

it("names of addresses may end in another domain than the one that kubelets search", () => {
  const text = corefile().replace("kubernetes cluster.local", "kubernetes old.example cluster.local");
  const domains = configMap("kubeadm-config", { ClusterConfiguration: "networking: {dnsDomain: cluster.local}" });
  expect(taken([...kubeadm(text), domains]).different).toEqual([
    "ConfigMap coredns: names of addresses end in old.example; ours: in cluster.local",
  ]);
  expect(taken(kubeadm(text)).different).toEqual([]);
});

it("Cluster API is told by its annotation", () => {
  const annotations = { "cluster.x-k8s.io/owner-kind": "KubeadmControlPlane", "cluster.x-k8s.io/owner-name": "prod" };
  const items = [...kubeadm(), node("v1.34.1", { annotations }), configMap("kubeadm-config", {})];
  expect(taken(items).todo).toEqual([
    expect.stringContaining("kubectl annotate kubeadmcontrolplane prod controlplane.cluster.x-k8s.io/skip-coredns="),
  ]);
});

describe("CoreDNS that somebody would restore is left to its owner", () => {
  // By which marks: test/model/running/owner.
  it("and nothing else changes", () => {
    const { own, reasons, different, todo } = taken([
      ...without("Deployment"),
      coreDns({ replicas: 5 }, { labels: eks }),
    ]);
    expect(own).toEqual({ kubeProxyMode: "iptables", authoritativeDNS: { kind: "Existing" } });
    expect(reasons["authoritativeDNS"]).toBe(
      "Deployment kube-system/coredns belongs to EKS, which would undo changes (eks.amazonaws.com/component=coredns)",
    );
    expect([different, todo]).toEqual([[], []]);
  });

  it.each<[what: string, labels: object, todo: string[]]>([
    ["kubeadm's", { "k8s-app": "kube-dns" }, []],
    ["what an addon manager only creates", { "addonmanager.kubernetes.io/mode": "EnsureExists" }, []],
    [
      "what only has marks of somebody",
      { "k8s.cloud.example/object": "Deployment" },
      [
        'Deployment coredns: has marks of somebody ("k8s.cloud.example/object=Deployment"): set authoritativeDNS.kind: Existing if they restore it',
      ],
    ],
  ])("but not %s", (_, labels, todo) => {
    const found = taken(owned(labels));
    expect([found.own["authoritativeDNS"], found.todo]).toEqual([undefined, todo]);
  });

  it("and a node cache goes past what it keeps, which is said", () => {
    const text = corefile(
      "rewrite name a.example b.example\n  log",
      undefined,
      "corp.example {\n  forward . 10.1.2.3\n  cache 5\n}\n",
    );
    expect(taken(owned(eks, text))).toMatchObject({
      own: { stubDomains: { "corp.example": ["10.1.2.3"] }, nodeLocalDNS: { askClusterDNS: ["a.example"] } },
      past: [
        "ConfigMap coredns: server block corp.example: cache success ttl 5; ours: success ttl 30",
        "ConfigMap coredns: server block corp.example: cache denial ttl 5; ours: denial ttl 30",
      ],
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
    expect(said).toEqual(
      names === undefined ? [] : [expect.stringContaining(` for ${names}, today and with this file`)],
    );
  });

  const stub = "corp.example {\n  cache 30\n  forward . 10.1.2.3\n}\n";
  it.each<[what: string, lines: string, after: string, askClusterDNS: unknown]>([
    ["nothing but ours", "", "", undefined],
    ["something of any name", "dns64", "", "all"],
    ["a file of hosts, which its owner writes", "hosts /etc/coredns/NodeHosts", "", "all"],
    ["names of a zone", "rewrite name suffix .a.example .b.example answer auto", "", ["a.example"]],
    ["names of the cluster", "rewrite name a.default.svc.cluster.local b.default.svc.cluster.local", "", undefined],
    ["a name that a block of its own takes first", "rewrite name a.corp.example b.example", stub, undefined],
    [
      "servers of a zone whose block has entries of its own",
      "",
      "corp.example {\n  forward . 10.1.2.3\n  cache 30\n  hosts {\n    10.9.9.9 a.corp.example\n    fallthrough\n  }\n}\n",
      ["corp.example"],
    ],
    ["servers that only it can ask", "", "corp.example {\n  forward . 127.0.0.1:5353\n}\n", ["corp.example"]],
  ])("and a node cache asks it for what it answers in its own way: %s", (_, lines, after, askClusterDNS) => {
    const found = taken(owned(eks, corefile(lines, undefined, after)));
    expect(found.own["nodeLocalDNS"]).toEqual(askClusterDNS && { askClusterDNS });
    expect(found.past).toEqual([]);
  });

  const rke2 = {
    "app.kubernetes.io/instance": "rke2-coredns",
    "app.kubernetes.io/name": "rke2-coredns",
    "k8s-app": "kube-dns",
  };
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

  it.each<
    [
      what: string,
      metadata: object,
      spec: object,
      said: object | undefined,
      why?: string,
      shared?: { agentImage: string },
    ]
  >([
    ["that of kubeadm and most clouds", {}, { ports: usual }, undefined],
    [
      "RKE2's",
      { name: "rke2-coredns", labels: { ...eks, "k8s-app": "kube-dns" } },
      { selector: rke2, ports: usual },
      { name: "rke2-coredns", selector: rke2 },
    ],
    ["with other pods", {}, { selector: { app: "dns" } }, { selector: { app: "dns" } }],
    ["with other port names", {}, { ports: ports(["udp-53", "dns-tcp"], [53, 53]) }, { portNames: { udp: "udp-53" } }],
    ["OpenShift's", ...openShift, described, "agentImage"],
    ["OpenShift's, and an agent", ...openShift, described, undefined, withAgent],
  ])("with its Service: %s", (_, metadata, spec, said, why, shared) => {
    const container = { name: "dns", image: "coredns", ports: [{ name: "dns", containerPort: 5353 }] };
    const pods = inKubeSystem(
      "DaemonSet",
      "dns-default",
      { spec: { template: { metadata: { labels: ofOpenShift }, spec: { containers: [container] } } } },
      { namespace: "openshift-dns", labels: eks },
    );
    const other = {
      ...service,
      metadata: { ...service.metadata, labels: eks, ...metadata },
      spec: { ...serviceSpec, ...spec },
    };
    const found = taken([other, pods], shared);
    expect(found.own["authoritativeDNS"]).toEqual({ kind: "Existing", ...(said && { service: said }) });
    expect(found.own["nodeLocalDNS"]).toEqual(why && { state: "disabled" });
    expect(found.reasons["nodeLocalDNS"] ?? "").toContain(why ?? "");
    // Without the workload nothing says which number a named port has.
    expect(taken([other], shared).todo.filter((each) => each.includes("targetPort"))).toHaveLength(
      said === described ? 1 : 0,
    );
    const { reasons } = taken([other, pods, cilium()], shared);
    expect(reasons["nodeLocalDNS"] ?? "").toContain(said === described ? "Cilium's reach" : "");
  });
});

describe("kube-proxy's mode", () => {
  const proxy = (args: string[], fields: object = {}) =>
    inKubeSystem("DaemonSet", "kube-proxy", {
      spec: { template: { spec: { containers: [{ name: "kube-proxy", image: "kube-proxy:v1", args }], ...fields } } },
    });
  const nowhere = { nodeSelector: { "non-calico": "true" } };
  // Of kube-proxy: test/model/running/find-proxy.
  it.each<[what: string, objects: object[], said: object, todo?: RegExp]>([
    ["of Cilium", [cilium({ "enable-local-redirect-policy": "true" })], { kubeProxyMode: "none", cni: "cilium" }],
    [
      "of Cilium that would not redirect",
      [
        cilium({ "enable-local-redirect-policy": "false" }),
        inKubeSystem("DaemonSet", "cilium", {
          spec: {
            template: { spec: { containers: [{ name: "a", image: "quay.io/cilium/cilium:v1.17.3@sha256:a" }] } },
          },
        }),
      ],
      { kubeProxyMode: "none", cni: "cilium", ciliumVersion: "1.17.3" },
      /^ConfigMap cilium-config: enable-local-redirect-policy is false/,
    ],
  ])("%s", (_, objects, said, todo) => {
    const found = taken([
      ...without("ConfigMap", "coredns").filter(({ metadata }) => metadata.name !== "kube-proxy"),
      ...objects,
    ]);
    expect(found.own).toMatchObject(said);
    expect(found.own["kubeProxyMode"]).toBe((said as { kubeProxyMode?: string }).kubeProxyMode);
    expect(found.todo).toEqual(todo ? [expect.stringMatching(todo)] : []);
  });

  it("is asked for where kube-proxy runs on no node", () => {
    expect(taken([...kubeadm(), proxy(["--config=a"], nowhere)]).reasons["kubeProxyMode"]).toMatch(
      /^DaemonSet kube-system\/kube-proxy runs on no node \(non-calico: true\): set none/,
    );
  });
});

describe("an existing node cache", () => {
  const kubespray = (outside: string) => nodeCache(outside, "nodelocaldns", "169.254.25.10");
  const todo = (...caches: object[]) => taken([...kubeadm(corefile(), "ipvs"), ...caches]).todo;

  it("says what pods get, before CoreDNS does", () => {
    const cache = nodeCache(
      "forward . 8.8.8.8\n  hosts {\n    192.168.1.2 host.example\n    fallthrough\n  }\n  template ANY AAAA",
    );
    expect(taken([...kubeadm(corefile("log", "9.9.9.9")), ...cache])).toMatchObject({
      own: {
        upstreamNameservers: ["8.8.8.8"],
        hostAliases: [{ ip: "192.168.1.2", hostnames: ["host.example"] }],
        authoritativeDNS: { corefile: { clusterNames: "log\n", otherNames: "log\n" } },
        filterAAAA: true,
      },
      different: [
        // Reverse names that no Service has.
        "ConfigMap coredns: forward to 9.9.9.9; ours: to 8.8.8.8 (in-addr.arpa, ip6.arpa)",
      ],
    });
  });

  it("does not get what CoreDNS says of names outside, if it goes past it, which pods will get", () => {
    const lines =
      "rewrite name a.example b.example\nhosts {\n10.1.1.1 c.example\nfallthrough\n}\ntemplate IN A d.example";
    const { own, different } = taken([...kubeadm(corefile(lines)), ...nodeCache("forward . /etc/resolv.conf")]);
    expect(Object.keys(own)).toEqual(expect.arrayContaining(["rewrites", "hostAliases", "authoritativeDNS"]));
    expect(different).toEqual([
      "ConfigMap node-local-dns: no hosts; ours: entry 10.1.1.1 c.example",
      "ConfigMap node-local-dns: no template; ours: IN A d.example (d.example)",
      "ConfigMap node-local-dns: no rewrite; ours: name exact a.example b.example (a.example)",
    ]);
    const asking = [...kubeadm(corefile(lines)), ...nodeCache("forward . __PILLAR__CLUSTER__DNS__")];
    expect(taken(asking).different).toEqual([]);
  });

  it("keeps the rules of its blocks, and blocks of its own", () => {
    const [cache, { data }] = nodeCache("forward . 8.8.8.8") as [object, { data: { Corefile: string } }];
    const text = data.Corefile.replace("cluster.local:53", "cluster.local:53 git.example:53")
      .replace("bind", "rewrite name git.example git.dev.svc.cluster.local\n  bind")
      .concat("corp.example {\n  cache 30\n  forward . 10.1.2.3\n  template ANY AAAA\n}\n");
    expect(taken([...kubeadm(), cache, configMap("node-local-dns", { Corefile: text })])).toMatchObject({
      own: {
        rewrites: [{ from: "git.example", to: "git.dev.svc.cluster.local" }],
        nodeLocalDNS: {
          corefile: { blocks: "corp.example:53 {\n    cache 30\n    forward . 10.1.2.3\n    template ANY AAAA\n}\n" },
        },
      },
    });
  });

  it("keeps asking CoreDNS for all names, as on nodes that reach no server outside", () => {
    const asked = (outside: string) => taken([...kubeadm(), ...nodeCache(`forward . ${outside}`)]).own;
    expect(asked("__PILLAR__CLUSTER__DNS__")).toEqual({
      kubeProxyMode: "iptables",
      nodeLocalDNS: { askClusterDNS: "all" },
    });
    expect(asked("8.8.8.8")).not.toHaveProperty("nodeLocalDNS");
  });

  it("makes no server outside of whom it asks for the cluster's names", () => {
    const [cache, { data }] = nodeCache("forward . 10.96.7.7") as [object, { data: { Corefile: string } }];
    const text = data.Corefile.replace("__PILLAR__CLUSTER__DNS__", "10.96.7.7");
    const asking = (after: string) =>
      taken([...kubeadm(), cache, configMap("node-local-dns", { Corefile: text + after })]);
    expect(asking("")).toMatchObject({ own: { nodeLocalDNS: { askClusterDNS: "all" } }, different: [] });
    expect(asking("corp.example {\n  forward . 10.96.7.7\n}\n").own).not.toHaveProperty("stubDomains");
  });

  it("asks as ConfigMap kube-dns says, which nothing else reads", () => {
    const kubeDns = configMap("kube-dns", {
      stubDomains: '{"a.example": ["10.1.1.1"]}',
      upstreamNameservers: '["8.8.4.4"]',
    });
    const said = { stubDomains: { "a.example": ["10.1.1.1"] }, upstreamNameservers: ["8.8.4.4"] };
    expect(taken([...kubeadm(), kubeDns, ...nodeCache("forward . __PILLAR__UPSTREAM__SERVERS__")]).own).toMatchObject(
      said,
    );
    expect(taken([...kubeadm(), kubeDns]).own).not.toHaveProperty("stubDomains");
    expect(taken([service, kubeDns]).own).toMatchObject(said);
  });

  it("does not make the cluster's own names those of other servers, if no Service shows its DNS", () => {
    const items = [...kubeadm().filter((each) => each !== service), ...nodeCache("forward . /etc/resolv.conf")];
    expect(taken(items)).toMatchObject({ own: { kubeProxyMode: "iptables" }, different: [] });
    const byAddress = items.map(
      (each) => JSON.parse(JSON.stringify(each).replace("__PILLAR__CLUSTER__DNS__", "10.9.0.10")) as object,
    );
    expect(taken(byAddress).own).not.toHaveProperty("zones");
  });

  it.each([
    ["of upstream's manifest", (text: string) => text, "forward . __PILLAR__UPSTREAM__SERVERS__", {}],
    [
      "as a cluster has it",
      (text: string) => text.replaceAll("__PILLAR__CLUSTER__DNS__", "10.100.0.10"),
      "forward . 9.9.9.9",
      { upstreamNameservers: ["9.9.9.9"] },
    ],
  ])("shows itself in a Corefile alone, %s", (_, filled, outside, said) => {
    const [, { data }] = nodeCache(outside) as [object, { data: { Corefile: string } }];
    const { items } = JSON.parse(objectsOf(filled(data.Corefile))) as { items: object[] };
    const found = taken(items);
    expect(found.own).toEqual(said);
    expect(found.different.filter((each) => /bind|__PILLAR/.test(each))).toEqual([]);
    expect(found.todo).toEqual([expect.stringMatching(/^DaemonSet node-local-dns: an existing node cache at 169/)]);
  });

  it("is said to have what is left out of it", () => {
    const [cache, { data }] = nodeCache("forward . 8.8.8.8") as [object, { data: { Corefile: string } }];
    const text = data.Corefile.concat("corp.example {\n  forward . 10.1.2.3\n  nonsense\n}\n");
    expect(taken([...kubeadm(), cache, configMap("node-local-dns", { Corefile: text })]).different).toContainEqual(
      expect.stringMatching(/^ConfigMap node-local-dns: server block corp.example \{/),
    );
  });

  it("keeps its settings", () => {
    const prefetched = nodeCache("forward . /etc/resolv.conf").map(
      (each) => JSON.parse(JSON.stringify(each).replace("cache 30\\n", "cache 60 {\\n prefetch 3\\n}\\n")) as object,
    );
    expect(taken([...kubeadm(), ...prefetched]).own["nodeLocalDNS"]).toEqual({
      outsideCache: { success: { ttl: 60 }, denial: { ttl: 60 } },
      cache: { prefetch: { amount: 3 } },
    });
  });

  it("with our name becomes ours, and keeps the address that pods have", () => {
    const cache = nodeCache("forward . /etc/resolv.conf", undefined, "169.254.30.10,10.96.0.10");
    expect(taken([...kubeadm(), ...cache])).toMatchObject({
      own: { nodeLocalDNS: { linkLocalAddresses: ["169.254.30.10"] } },
      todo: [
        "DaemonSet node-local-dns: an existing node cache at 169.254.30.10 with the name of ours, which takes its place: do not delete it",
      ],
    });
  });

  it("with another name stays for those that ask it", () => {
    const end = "delete it once doctor says that no kubelet leads pods to it: until then, pods that were given";
    expect(todo(...kubespray("forward . /etc/resolv.conf"))).toEqual([
      `DaemonSet nodelocaldns: an existing node cache at 169.254.25.10; ${end} 169.254.25.10 have no other DNS`,
    ]);
    expect(todo(...nodeCache("forward . /etc/resolv.conf", "mine"))).toEqual([
      `DaemonSet mine: an existing node cache at 169.254.20.10, which is also an address of ours: set another in nodeLocalDNS.linkLocalAddresses; ${end} 169.254.20.10 have no other DNS`,
    ]);
  });

  it("with our name and another selector, or an owner, is in the way", () => {
    const [daemonSet] = nodeCache("forward . /etc/resolv.conf");
    const other = JSON.parse(JSON.stringify(daemonSet).replaceAll('"k8s-app":"node-local-dns"', '"app":"x"')) as object;
    expect(todo(other)[0]).toContain(
      "delete it right before ours is applied; pods that were given 169.254.20.10 have no DNS in between",
    );
    const metadata = { ...daemonSet?.metadata, labels: { "addonmanager.kubernetes.io/mode": "Reconcile" } };
    expect(todo({ ...daemonSet, metadata })[0]).toContain("turn it off there first: later, that would delete ours");
  });
});

describe("CoreDNS's pods", () => {
  it("differ from ours in what they lose", () => {
    const spread = { maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" };
    const workload = coreDns({
      hostNetwork: true,
      hostPID: false,
      dnsPolicy: "None",
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 5, podAffinityTerm: { topologyKey: "kubernetes.io/hostname" } },
          ],
        },
      },
      topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: { "k8s-app": "kube-dns" } } }],
      initContainers: [{ name: "wait" }],
      containers: [
        {
          name: "coredns",
          image: "rancher/coredns:1.12.3",
          args: ["-conf", "/etc/coredns/Corefile"],
          env: [{ name: "GOGC" }, { name: "GOMEMLIMIT" }],
          lifecycle: { preStop: {} },
          terminationMessagePolicy: "File",
        },
        { name: "sidecar" },
      ],
      volumes: [
        { name: "coredns", configMap: { name: "coredns" } },
        { name: "zones", hostPath: {} },
      ],
      nodeSelector: { dns: "yes" },
    });
    const found = taken([...without("Deployment"), workload]);
    expect(found.own["authoritativeDNS"]).toEqual({ nodePlacement: { nodeSelector: { dns: "yes" } } });
    expect(found.new).toContain("CoreDNS 1.14.7, in place of 1.12.3");
    expect(found.different.map((what) => what.replace("Deployment coredns: ", ""))).toEqual([
      expect.stringMatching(
        /^image rancher\/coredns:1\.12\.3; ours: registry\.k8s\.io\/coredns\/coredns:v1\.14\.7: set imageRegistry/,
      ),
      'dnsPolicy "None"; ours: "Default"',
      "hostNetwork true",
      'topologySpreadConstraints[0].whenUnsatisfiable "DoNotSchedule"; ours: "ScheduleAnyway"',
      "container wait",
      "container sidecar",
      "volume zones",
      'lifecycle {"preStop":{}}',
      "env GOGC",
    ]);
  });

  it.each<[image: string, registry: string | undefined]>([
    ["mirror.example:5000/k8s/coredns/coredns:v1.11.3", "mirror.example:5000/k8s"],
    ["k8s.gcr.io/coredns/coredns:v1.8.6", undefined],
    ["docker.io/coredns/coredns:1.11.3", undefined],
  ])("come from a mirror only if it has the layout of one: %s", (image, registry) => {
    const workload = JSON.parse(JSON.stringify(coreDns()).replace(/registry\.k8s\.io\/[^"]*/, image)) as object;
    expect(taken([...without("Deployment"), workload]).own["imageRegistry"]).toBe(registry);
  });

  it("have no resources in the file if they are our defaults", () => {
    const { cluster } = resolve({ clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" });
    const resources = cluster?.components.authoritativeDns?.resources;
    const workload = coreDns({ containers: [{ name: "coredns", resources }] });
    expect(taken([...without("Deployment"), workload]).own).toEqual({ kubeProxyMode: "iptables" });
  });

  const params = '{"linear":{"coresPerReplica":128,"nodesPerReplica":16,"min":3}}';
  const scaler = inKubeSystem("Deployment", "coredns-autoscaler", {
    spec: {
      template: {
        spec: {
          containers: [
            {
              name: "a",
              image: "cpa/cluster-proportional-autoscaler:1",
              args: ["--target=Deployment/coredns", "--configmap=coredns-autoscaler", `--default-params=${params}`],
            },
          ],
        },
      },
    },
  });
  const target = { scaleTargetRef: { kind: "Deployment", name: "coredns" } };
  const [cpu, memory] = ["cpu", "memory"].map((name) => ({
    type: "Resource",
    resource: { name, target: { type: "Utilization", averageUtilization: 60 } },
  }));
  const budget = { selector: { matchLabels: { "k8s-app": "kube-dns" } } };
  it.each<[what: string, object: object, authoritativeDNS: object | undefined, todo: string[]]>([
    [
      "an autoscaler",
      scaler,
      { autoscaler: { coresPerReplica: 128, min: 3 } },
      ["Deployment coredns-autoscaler: delete it once ours runs"],
    ],
    [
      "a HorizontalPodAutoscaler",
      inKubeSystem("HorizontalPodAutoscaler", "dns", { spec: { ...target, maxReplicas: 5, metrics: [cpu, memory] } }),
      { autoscaler: { mode: "horizontal", min: 1, max: 5, cpuUtilization: 60 } },
      [
        "HorizontalPodAutoscaler dns: ours goes by CPU alone",
        "HorizontalPodAutoscaler dns: delete it before ours is applied: with two, neither scales",
      ],
    ],
    [
      "the HorizontalPodAutoscaler that ours replaces",
      inKubeSystem("HorizontalPodAutoscaler", "coredns", { spec: { ...target, minReplicas: 3, maxReplicas: 9 } }),
      { autoscaler: { mode: "horizontal", min: 3, max: 9 } },
      [],
    ],
    [
      "a second budget",
      inKubeSystem("PodDisruptionBudget", "dns", { spec: budget }),
      undefined,
      [
        "PodDisruptionBudget dns: a second budget for CoreDNS's pods, with which the API server refuses every eviction: delete it before ours is applied",
      ],
    ],
    ["the budget that ours replaces", inKubeSystem("PodDisruptionBudget", "coredns", { spec: budget }), undefined, []],
  ])("may have %s", (_, object, authoritativeDNS, todo) => {
    const found = taken([...kubeadm(), object]);
    expect([found.own["authoritativeDNS"], found.todo]).toEqual([authoritativeDNS, todo]);
  });

  it("may have a Corefile that a program writes", () => {
    expect(taken(kubeadm(`#start AUTO-GENERATED. DO NOT EDIT\n${corefile()}`)).todo).toEqual([
      'ConfigMap coredns: a program writes it ("#start AUTO-GENERATED. DO NOT EDIT"), and will not write that of ours',
    ]);
  });
});

describe("objects that ours does not replace in place", () => {
  const workload = (name: string, labels: object, metadata: object = {}, kind = "Deployment") => ({
    kind,
    metadata: { name, namespace: "kube-system", ...metadata },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } },
  });
  const dns = { "k8s-app": "kube-dns" };
  const selecting = (selector: object) => ({ ...service, spec: { ...serviceSpec, selector } });
  const last =
    "its pods have no label k8s-app: kube-dns, so apply our Service kube-dns, which goes by that, only once ours is ready";
  const fixed =
    "its selector is not that of ours, and cannot change: delete it with --cascade=orphan right before ours is applied";
  it.each<[what: string, objects: object[], todo: string[]]>([
    ["in place", [service, workload("coredns", dns)], []],
    [
      "its selector cannot change",
      [service, workload("coredns", { ...dns, a: "b" })],
      [`Deployment coredns: ${fixed}, which takes over its pods`],
    ],
    [
      "nor take over its pods",
      [selecting({ a: "b" }), workload("coredns", { a: "b" })],
      [`Deployment coredns: ${fixed}; ${last}, then delete its ReplicaSets`],
    ],
    [
      "another name and label",
      [selecting({ a: "b" }), workload("dns", { a: "b" })],
      [`Deployment dns: runs beside ours; ${last}, then delete it`],
    ],
    [
      "none behind the Service",
      [selecting({ a: "b" }), workload("dns", { a: "c" })],
      ["Service kube-dns: no Deployment or DaemonSet among the objects has its pods (a: b), so none was read"],
    ],
    [
      "a second one",
      [
        service,
        workload("coredns", dns),
        workload("coredns", dns, { annotations: { "meta.helm.sh/release-name": "dns" } }, "DaemonSet"),
      ],
      [
        "DaemonSet coredns: a second DNS workload, which is not read; runs beside ours, and both answer; turn it off at Helm once ours runs",
      ],
    ],
    [
      "another Service",
      [{ ...service, metadata: { ...service.metadata, name: "dns", labels: dns } }, workload("coredns", dns)],
      ["Service dns: we name the Service kube-dns; delete this one first"],
    ],
  ])("%s", (_, objects, todo) => expect(taken(objects).todo).toEqual(todo));
});
