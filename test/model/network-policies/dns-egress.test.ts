import { describe, expect, it } from "vitest";
import { resolve } from "../../../src/model/check/resolve";
import { dnsEgress } from "../../../src/model/network-policies/dns-egress";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";

const least: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "agent:1" };
const dual = { clusterDNS: ["10.96.0.10", "fd00:96::a"] };
const inKubeSystem = (label: string) => ({
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
  podSelector: { matchLabels: { "k8s-app": label } },
});

describe("dnsEgress", () => {
  it.each<[mode: string, props: ClusterDnsProps, pods: string[], cidrs: string[]]>([
    ["service-ip, also of pods from before", least, ["kube-dns"], ["10.96.0.10/32", "169.254.20.10/32"]],
    [
      "service-ip, two families",
      { ...least, ...dual },
      ["kube-dns"],
      ["10.96.0.10/32", "fd00:96::a/128", "169.254.20.10/32", "fd00:169:254:20::10/128"],
    ],
    ["link-local", { ...least, kubeProxyMode: "ipvs" }, ["kube-dns"], ["169.254.20.10/32", "10.96.0.10/32"]],
    [
      "link-local, two families, by choice",
      { ...least, ...dual, nodeLocalDNS: { interception: "link-local" } },
      ["kube-dns"],
      ["169.254.20.10/32", "fd00:169:254:20::10/128", "10.96.0.10/32", "fd00:96::a/128"],
    ],
    [
      "link-local at an address of its own, while it drains",
      { ...least, kubeProxyMode: "ipvs", nodeLocalDNS: { state: "draining", linkLocalAddresses: ["169.254.30.10"] } },
      ["kube-dns"],
      ["10.96.0.10/32", "169.254.30.10/32"],
    ],
    [
      "link-local, while cleanup waits until nobody asks",
      { ...least, kubeProxyMode: "ipvs", nodeLocalDNS: { state: "removed" } },
      ["kube-dns"],
      ["10.96.0.10/32", "169.254.20.10/32"],
    ],
    [
      "local-redirect",
      { ...least, kubeProxyMode: "none", cni: "cilium" },
      ["kube-dns", "node-local-dns"],
      ["10.96.0.10/32"],
    ],
    ["no cache", { ...least, nodeLocalDNS: { state: "disabled" } }, ["kube-dns"], ["10.96.0.10/32"]],
    ["no cache with a mode unknown", { ...least, kubeProxyMode: "none" }, ["kube-dns"], ["10.96.0.10/32"]],
  ])("%s: the pods that answer and the addresses that pods ask", (_, props, pods, cidrs) => {
    expect(dnsEgress(props)).toEqual([
      {
        to: [...pods.map(inKubeSystem), ...cidrs.map((cidr) => ({ ipBlock: { cidr } }))],
        ports: [
          { protocol: "UDP", port: 53 },
          { protocol: "TCP", port: 53 },
        ],
      },
    ]);
  });

  it("takes a resolved cluster, as constructs do", () => {
    const { cluster, problems } = resolve(least);
    expect(problems).toBeUndefined();
    expect(cluster && dnsEgress(cluster)).toEqual(dnsEgress(least));
  });

  it("lists everything wrong with the props", () => {
    expect(() => dnsEgress({ ...least, clusterDNS: ["x"], clusterDomain: "-" })).toThrow(
      /^clusterDNS\[0\]: .*\nclusterDomain: /,
    );
  });
});
