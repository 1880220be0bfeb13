import { expect, it } from "vitest";
import { readState } from "../../../src/live/read-state";
import type { KubernetesObject } from "../../../src/model/kubernetes/object";
import { findDns } from "../../../src/model/running/find-dns";

const dnsLabels = { "k8s-app": "kube-dns" };

function service(name: string, spec: object = {}, labels: object = {}) {
  const usual = { clusterIPs: ["10.96.0.10"], ports: [{ port: 53, protocol: "UDP" }] };
  return { kind: "Service", metadata: { name, namespace: "kube-system", labels }, spec: { ...usual, ...spec } };
}

function workload(kind: string, name: string, image: string, labels: object = {}, pod: object = {}) {
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image }], ...pod } };
  const spec = { selector: { matchLabels: labels }, template };
  return { kind, metadata: { name, namespace: "kube-system" }, spec };
}

const coredns = workload("Deployment", "dns", "mirror/coredns:1", dnsLabels);
const kubeDns = service("kube-dns", { selector: dnsLabels });
const onNode = { hostNetwork: true };
const old = workload("Deployment", "coredns", "coredns:1", { app: "old" });
const target = { scaleTargetRef: { kind: "Deployment", name: "dns" } };
const scaling = (argument: string) => [{ name: "a", image: "a/cluster-proportional-autoscaler", args: [argument] }];
const scaler = (name: string, argument: string) =>
  workload("Deployment", name, "", {}, { containers: scaling(argument) });
const abridged = (kind: string, name: string) => ({ kind, metadata: { name } });
const named = (name: string, image: string) => workload("Deployment", name, image);
const onNodes = (name: string, image = "coredns:1", labels = {}) => workload("DaemonSet", name, image, labels, onNode);

it.each<[what: string, objects: object[], found: { [list: string]: string[] }]>([
  [
    "the Service with an address and port 53 first",
    [
      service("kube-dns", { clusterIP: "None" }),
      service("kube-dns-upstream", {}, dnsLabels),
      service("coredns", {}, dnsLabels),
      service("alias", { type: "ExternalName" }, dnsLabels),
    ],
    { services: ["coredns", "kube-dns"] },
  ],
  [
    "the Service of a chart, with a name and labels of its own, if there is no other",
    [
      service("metrics", { selector: { app: "a" }, ports: [{ port: 9153 }] }),
      service("dns-upstream", { selector: { app: "a" } }),
      service("release", { selector: { app: "a" } }),
      service("cache", { selector: { app: "b" } }),
      workload("Deployment", "release", "coredns:1", { app: "a" }),
      onNodes("cache", "coredns:1", { app: "b" }),
    ],
    { services: ["release"], workloads: ["release"], caches: ["cache"] },
  ],
  ["the workload whose pods the Service has first", [kubeDns, old, coredns], { workloads: ["dns", "coredns"] }],
  ["kube-dns, and no stranger", [kubeDns, named("a", "k8s-dns-kube-dns:1"), named("b", "nginx")], { workloads: ["a"] }],
  [
    "caches by what they run, whatever their names",
    [
      kubeDns,
      coredns,
      onNodes("a", "registry.k8s.io/dns/k8s-dns-node-cache:1"),
      onNodes("b"),
      workload("DaemonSet", "c", "coredns:1", { "k8s-app": "node-local-dns" }),
      workload("DaemonSet", "nodelocaldns", "nginx"),
    ],
    { caches: ["a", "b", "c"], workloads: ["dns"] },
  ],
  ["its own DNS in no cache", [kubeDns, onNodes("dns", "coredns:1", dnsLabels)], { caches: [], workloads: ["dns"] }],
  [
    "by name what somebody abridged",
    [kubeDns, abridged("Deployment", "coredns"), abridged("DaemonSet", "nodelocaldns")],
    { caches: ["nodelocaldns"], workloads: ["coredns"] },
  ],
  [
    "what changes the number of its pods, and of nothing else",
    [
      kubeDns,
      coredns,
      scaler("a", "--target=deployment/dns"),
      scaler("b", "--target=Deployment/other"),
      { kind: "HorizontalPodAutoscaler", metadata: { name: "c" }, spec: target },
    ],
    { autoscalers: ["a", "c"], workloads: ["dns"] },
  ],
  [
    "its disruption budgets",
    [
      kubeDns,
      coredns,
      ...[dnsLabels, { app: "b" }].map((matchLabels, i) => ({
        kind: "PodDisruptionBudget",
        metadata: { name: `${i}`, namespace: "kube-system" },
        spec: { selector: { matchLabels } },
      })),
    ],
    { budgets: ["0"] },
  ],
])("finds %s", (_, objects, found) => {
  const dns = findDns(readState(JSON.stringify({ items: objects })));
  for (const [list, all] of Object.entries(found))
    expect((dns[list as "services"] as readonly KubernetesObject[]).map(({ metadata }) => metadata.name)).toEqual(all);
});
