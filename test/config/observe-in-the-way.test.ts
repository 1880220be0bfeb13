import { describe, expect, it } from "vitest";
import { inKubeSystem, seen, service } from "./observed";

describe("objects that ours does not replace in place", () => {
  it("that conflict with ours are listed", () => {
    const named = {
      ...service,
      metadata: { name: "rke2-coredns-rke2-coredns", namespace: "kube-system", labels: { "k8s-app": "kube-dns" } },
    };
    const { unsaid } = seen(
      named,
      inKubeSystem("DaemonSet", "nodelocaldns", { spec: {} }),
      inKubeSystem("Deployment", "dns-autoscaler", { spec: {} }),
    );
    expect(unsaid).toEqual([
      "Service kube-system/rke2-coredns-rke2-coredns: we name the Service kube-dns; delete this one first",
      expect.stringContaining("Deployment kube-system/dns-autoscaler: set authoritativeDNS.autoscaler"),
      "DaemonSet kube-system/nodelocaldns: an existing node cache; delete it once ours runs",
    ]);
  });

  it("have one DNS Service, not the first with its label; others are listed", () => {
    const other = (name: string, clusterIP: string, port: number, protocol = "UDP") => ({
      kind: "Service",
      metadata: { name, namespace: "kube-system", labels: { "k8s-app": "kube-dns" } },
      spec: { clusterIPs: [clusterIP], ports: [{ port, protocol }] },
    });
    expect(
      seen(
        other("coredns-metrics", "10.96.7.7", 9153),
        other("dns-tcp", "10.96.7.8", 53, "TCP"),
        other("headless", "None", 53),
        other("for-nodes", "10.96.7.9", 53),
        service,
      ),
    ).toEqual({
      description: { clusterDNS: ["10.96.0.10"] },
      unsaid: [
        "Service kube-system/for-nodes: serves DNS as well; clusterDNS is the address of Service kube-system/kube-dns: correct it if pods ask this one",
      ],
    });
    const metrics = other("kube-dns", "10.96.7.7", 9153);
    expect(seen(metrics, other("dns", "10.96.0.10", 53)).description["clusterDNS"]).toEqual(["10.96.0.10"]);
  });

  const dnsWorkload = (kind: string, name: string, matchLabels: object = { "k8s-app": "kube-dns" }, metadata = {}) => ({
    kind,
    metadata: { name, namespace: "kube-system", labels: { "k8s-app": "kube-dns" }, ...metadata },
    spec: { replicas: 2, selector: { matchLabels }, template: { metadata: { labels: matchLabels } } },
  });
  const selecting = (selector: object) =>
    inKubeSystem("Service", "kube-dns", { spec: { clusterIPs: ["10.96.0.10"], selector } });
  it.each<[what: string, objects: object[], unsaid: string[]]>([
    ["in place", [dnsWorkload("Deployment", "coredns")], []],
    [
      "its selector cannot change",
      [dnsWorkload("Deployment", "coredns", { "k8s-app": "kube-dns", "app.kubernetes.io/name": "coredns" })],
      [
        "Deployment kube-system/coredns: its selector is not that of ours, and cannot change: delete it with --cascade=orphan right before ours is applied, which takes over its pods",
      ],
    ],
    [
      "nor take over its pods",
      [dnsWorkload("Deployment", "coredns", { "k8s-app": "coredns" })],
      [
        "Deployment kube-system/coredns: its selector is not that of ours, and cannot change: delete it with --cascade=orphan right before ours is applied; its pods have no label k8s-app: kube-dns, so apply our Service kube-dns, which goes by that, only once ours is ready, then delete its ReplicaSets",
      ],
    ],
    [
      "another name and label, behind the Service",
      [selecting({ a: "b" }), dnsWorkload("Deployment", "dns", { a: "b", c: "d" }, { labels: {} })],
      [
        "Deployment kube-system/dns: runs beside ours; its pods have no label k8s-app: kube-dns, so apply our Service kube-dns, which goes by that, only once ours is ready, then delete it",
      ],
    ],
    [
      "none behind the Service",
      [selecting({ a: "b" }), dnsWorkload("Deployment", "dns", { a: "c" }, { labels: {} })],
      [
        "Service kube-system/kube-dns: no Deployment or DaemonSet among the objects has its pods (a: b), so none was read",
      ],
    ],
    [
      "a node cache labelled as DNS, whose pods are not, is none",
      [dnsWorkload("DaemonSet", "nodelocaldns", { "k8s-app": "node-local-dns" })],
      ["DaemonSet kube-system/nodelocaldns: an existing node cache; delete it once ours runs"],
    ],
    [
      "another name",
      [dnsWorkload("Deployment", "my-coredns")],
      ["Deployment kube-system/my-coredns: runs beside ours, and both answer; delete it once ours runs"],
    ],
    [
      "a second one",
      [
        dnsWorkload("DaemonSet", "mine"),
        dnsWorkload("Deployment", "coredns"),
        dnsWorkload("DaemonSet", "coredns", undefined, {
          annotations: { "meta.helm.sh/release-name": "dns" },
        }),
      ],
      [
        "DaemonSet kube-system/coredns: a second DNS workload, which is not read; runs beside ours, and both answer; turn it off at Helm once ours runs",
        "DaemonSet kube-system/mine: a second DNS workload, which is not read; runs beside ours, and both answer; delete it once ours runs",
      ],
    ],
    [
      "a second one beside one that stays",
      [
        dnsWorkload("Deployment", "coredns", { a: "b" }, { labels: { "eks.amazonaws.com/component": "coredns" } }),
        dnsWorkload("DaemonSet", "mine"),
      ],
      ["DaemonSet kube-system/mine: a second DNS workload, which is not read"],
    ],
  ])("have a CoreDNS whose place ours takes, as far as the API server allows it: %s", (_, objects, unsaid) => {
    expect(seen(...objects).unsaid).toEqual(unsaid);
  });

  it.each([
    ["node-local-dns", "which takes its place: do not delete it"],
    ["mine", "and another selector, which cannot change: delete it right before ours is applied"],
  ])("with a node cache of our name become ours, if its selector allows it: %s", (app, what) => {
    const spec = { selector: { matchLabels: { "k8s-app": app } } };
    expect(seen(inKubeSystem("DaemonSet", "node-local-dns", { spec })).unsaid).toEqual([
      `DaemonSet kube-system/node-local-dns: an existing node cache with the name of ours, ${what}`,
    ]);
  });
});
