import { expect, it } from "vitest";
import { resolve } from "../../../src/model/check/resolve";
import { dnsEgress } from "../../../src/model/network-policies/dns-egress";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { NodeLocalDnsOptions } from "../../../src/model/props/node-local-dns";

const least: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "agent:1" };
const dual = { clusterDNS: ["10.96.0.10", "fd00:96::a"] };
const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } };
const inKubeSystem = (label: string) => ({ namespaceSelector, podSelector: { matchLabels: { "k8s-app": label } } });

const [dns, dns6] = ["10.96.0.10/32", "fd00:96::a/128"];
const [local, local6] = ["169.254.20.10/32", "fd00:169:254:20::10/128"];
const ipvs = (nodeLocalDNS: NodeLocalDnsOptions) => ({ kubeProxyMode: "ipvs", nodeLocalDNS }) as const;
const redirect = { kubeProxyMode: "none", cni: "cilium" } as const;
it.each<[mode: string, props: Partial<ClusterDnsProps>, cidrs: (string | undefined)[], also?: string[]]>([
  ["service-ip, also of pods from before", {}, [dns, local]],
  ["service-ip, two families", dual, [dns, dns6, local, local6]],
  ["link-local", ipvs({}), [local, dns]],
  ["link-local for two", { ...dual, nodeLocalDNS: { interception: "link-local" } }, [local, local6, dns, dns6]],
  ["draining", ipvs({ state: "draining", linkLocalAddresses: ["169.254.3.1"] }), [dns, "169.254.3.1/32"]],
  ["link-local, while cleanup waits until nobody asks", ipvs({ state: "removed" }), [dns, local]],
  ["redirect", redirect, [dns], ["node-local-dns"]],
  ["no cache", { nodeLocalDNS: { state: "disabled" } }, [dns]],
  ["no cache with a mode unknown", { kubeProxyMode: "none" }, [dns]],
])("%s: the pods that answer and the addresses that pods ask", (_, props, cidrs, also = []) => {
  expect(dnsEgress({ ...least, ...props })).toEqual([
    {
      to: [...["kube-dns", ...also].map(inKubeSystem), ...cidrs.map((cidr) => ({ ipBlock: { cidr } }))],
      ports: ["UDP", "TCP"].map((protocol) => ({ protocol, port: 53 })),
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
