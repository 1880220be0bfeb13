import { textOfObjects } from "../../../src/live/text-of-objects";
import { expect, it } from "vitest";
import { configMap, corefile, kubeadm, nodeCache, service, taken } from "./objects";

const kubespray = (outside: string) => nodeCache(outside, "nodelocaldns", "169.254.25.10");
/** With another text in its ConfigMap. */
function changed(outside: string, change: (text: string) => string) {
  const [cache, { data }] = nodeCache(outside) as [object, { data: { Corefile: string } }];
  return taken([...kubeadm(), cache, configMap("node-local-dns", { Corefile: change(data.Corefile) })]);
}
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
      "ConfigMap node-local-dns: no hosts; ours: entry 192.168.1.2 host.example (in-addr.arpa, ip6.arpa)",
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

it("does not get entries of CoreDNS's hosts beside its own, which pods will get", () => {
  const hosts = (entry: string) => `hosts {\n${entry}\nfallthrough\n}`;
  const cache = nodeCache(`forward . /etc/resolv.conf\n${hosts("10.1.1.1 a.example")}`);
  expect(taken([...kubeadm(corefile(hosts("10.1.1.2 b.example"))), ...cache]).different).toEqual([
    "ConfigMap node-local-dns: no such entry of hosts; ours: entry 10.1.1.2 b.example",
    "ConfigMap node-local-dns: no such entry of hosts; ours: entry 10.1.1.1 a.example (in-addr.arpa, ip6.arpa)",
  ]);
});

it("keeps names as long as it did, also those that it asks CoreDNS for", () => {
  const { own } = changed("forward . __PILLAR__CLUSTER__DNS__", (text) =>
    text.replace("denial 9984 5", "denial 9984 1").replace("cache 30", "cache 300"),
  );
  expect(own).toMatchObject({
    nodeLocalDNS: { cache: { denial: { ttl: 1 } }, outsideCache: { success: { ttl: 300 }, denial: { ttl: 300 } } },
  });
});

it("keeps the rules of its blocks, and blocks of its own", () => {
  const { own } = changed("forward . 8.8.8.8", (text) =>
    text
      .replace("cluster.local:53", "cluster.local:53 git.example:53")
      .replace("bind", "rewrite name git.example git.dev.svc.cluster.local\n  bind")
      .concat("corp.example {\n  cache 30\n  forward . 10.1.2.3\n  template ANY AAAA\n}\n"),
  );
  const blocks = "corp.example:53 {\n    cache 30\n    forward . 10.1.2.3\n    template ANY AAAA\n}\n";
  const rewrites = [{ from: "git.example", to: "git.dev.svc.cluster.local" }];
  expect(own).toMatchObject({ rewrites, nodeLocalDNS: { corefile: { blocks } } });
});

it("keeps asking CoreDNS for all names, as on nodes that reach no server outside", () => {
  const asked = (outside: string) => taken([...kubeadm(), ...nodeCache(`forward . ${outside}`)]).own;
  expect(asked("__PILLAR__CLUSTER__DNS__")["nodeLocalDNS"]).toEqual({ askClusterDNS: "all" });
  expect(asked("8.8.8.8")).not.toHaveProperty("nodeLocalDNS");
});

it("makes no server outside of whom it asks for the cluster's names", () => {
  const asking = (after: string) =>
    changed("forward . 10.96.7.7", (text) => text.replace("__PILLAR__CLUSTER__DNS__", "10.96.7.7") + after);
  expect(asking("")).toMatchObject({ own: { nodeLocalDNS: { askClusterDNS: "all" } }, different: [] });
  expect(asking("corp.example {\n  forward . 10.96.7.7\n}\n").own).not.toHaveProperty("stubDomains");
});

it("asks as ConfigMap kube-dns says, which nothing else reads", () => {
  const said = { stubDomains: { "a.example": ["10.1.1.1"] }, upstreamNameservers: ["8.8.4.4"] };
  const texts = Object.entries(said).map(([key, value]) => [key, JSON.stringify(value)]);
  const kubeDns = configMap("kube-dns", Object.fromEntries(texts));
  const cache = nodeCache("forward . __PILLAR__UPSTREAM__SERVERS__");
  expect(taken([...kubeadm(), kubeDns, ...cache]).own).toMatchObject(said);
  expect(taken([...kubeadm(), kubeDns]).own).not.toHaveProperty("stubDomains");
  expect(taken([service, kubeDns]).own).toMatchObject(said);
});

it("does not make the cluster's own names those of other servers, if no Service shows its DNS", () => {
  const items = [...kubeadm().filter((each) => each !== service), ...nodeCache("forward . /etc/resolv.conf")];
  expect(taken(items)).toMatchObject({ own: { kubeProxyMode: "iptables" }, different: [] });
  const byAddress = JSON.stringify(items).replaceAll("__PILLAR__CLUSTER__DNS__", "10.9.0.10");
  expect(taken(JSON.parse(byAddress) as object[]).own).not.toHaveProperty("zones");
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
  const { items } = JSON.parse(textOfObjects(filled(data.Corefile))) as { items: object[] };
  const found = taken(items);
  expect(found.own).toEqual(said);
  expect(found.different.filter((each) => /bind|__PILLAR/.test(each))).toEqual([]);
  expect(found.todo).toEqual([expect.stringMatching(/^DaemonSet node-local-dns: an existing node cache at 169/)]);
});

it("is said to have what is left out of it", () => {
  const block = "corp.example {\n  forward . 10.1.2.3\n  nonsense\n}\n";
  const { different } = changed("forward . 8.8.8.8", (text) => text + block);
  expect(different.join("\n")).toMatch(/^ConfigMap node-local-dns: server block corp.example \{/m);
});

it("keeps its settings", () => {
  const prefetching = (text: string) => text.replace("cache 30\n", "cache 60 {\n prefetch 3\n}\n");
  expect(changed("forward . /etc/resolv.conf", prefetching).own["nodeLocalDNS"]).toEqual({
    outsideCache: { success: { ttl: 60 }, denial: { ttl: 60 } },
    cache: { prefetch: { amount: 3 } },
  });
});

it("with our name becomes ours, and keeps the address that pods have", () => {
  const cache = nodeCache("forward . /etc/resolv.conf", undefined, "169.254.30.10,10.96.0.10");
  const found = taken([...kubeadm(), ...cache]);
  expect(found.own).toMatchObject({ nodeLocalDNS: { linkLocalAddresses: ["169.254.30.10"] } });
  expect(found.todo).toEqual([expect.stringMatching(/ at 169\.254\.30\.10 .* takes its place: do not delete it$/)]);
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
