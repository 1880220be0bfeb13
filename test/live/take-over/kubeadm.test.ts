import { expect, it } from "vitest";
import { resolve } from "../../../src/model/check/resolve";
import { configMap, coreDns, corefile, kubeadm, node, taken } from "./objects";

const upgrade = /^kubeadm's next upgrade refuses CoreDNS 1\.14\.7/;

it("a cluster of kubeadm needs nothing but addresses, mode and version", () => {
  const text = "networking:\n  serviceSubnet: 10.96.0.0/16,fd00::/108\n  dnsDomain: cluster.local\n";
  const configuration = configMap("kubeadm-config", { ClusterConfiguration: text });
  const { description, different, past, todo } = taken([...kubeadm(), node("v1.33.2"), configuration]);
  const serviceCIDRs = ["10.96.0.0/16", "fd00::/108"];
  const facts = { clusterDNS: ["10.96.0.10"], kubernetesVersion: "1.34", kubeProxyMode: "iptables" };
  expect(description).toEqual({ ...facts, serviceCIDRs });
  expect(resolve(description).problems).toBeUndefined();
  expect([different, past, todo]).toEqual([[], [], [expect.stringMatching(upgrade)]]);
});

it("pods may have servers in a resolv.conf of their own", () => {
  const asking = (dnsPolicy: string) =>
    taken([
      ...kubeadm().filter(({ kind }) => kind !== "Deployment"),
      coreDns({ dnsPolicy, dnsConfig: { nameservers: ["10.1.1.1", "10.1.1.2"], searches: ["a.example"] } }),
    ]);
  expect(asking("None").own).toMatchObject({ upstreamNameservers: ["10.1.1.1", "10.1.1.2"] });
  expect(asking("Default").different).toContainEqual(
    expect.stringMatching("forward to /etc/resolv.conf 10.1.1.1 10.1.1.2; ours: to /etc/resolv.conf"),
  );
});

it("what kubeadm was told is a hint, also if nobody can read it", () => {
  const broken = configMap("kubeadm-config", { ClusterConfiguration: "networking: [a\nb: *c" });
  expect(taken([...kubeadm(), broken]).different).toEqual([]);
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
  const skip = "kubectl annotate kubeadmcontrolplane prod controlplane.cluster.x-k8s.io/skip-coredns=";
  expect(taken(items).todo).toEqual([expect.stringContaining(skip)]);
});
