import { describe, expect, it } from "vitest";
import { ClusterDns } from "../../src/constructs/cluster-dns";
import { dnsEgress } from "../../src/model/network-policies/dns-egress";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { type Part, render } from "./rendered";

const agent = { agentImage: "agent:1" } as const;
const facts = { clusterDNS: ["10.43.0.10"], kubeProxyMode: "iptables" } as const;
const openShift: ClusterDnsProps = {
  ...facts,
  ...agent,
  authoritativeDNS: {
    kind: "Existing",
    service: {
      namespace: "openshift-dns",
      name: "dns-default",
      selector: { "dns.operator.openshift.io/daemonset-dns": "default" },
      targetPort: 5353,
    },
  },
};
const selector = { "app.kubernetes.io/name": "rke2-coredns", "k8s-app": "kube-dns" };
const rke2: ClusterDnsProps = {
  ...facts,
  authoritativeDNS: {
    kind: "Existing",
    service: { name: "rke2-coredns", selector, targetPort: 1053, portNames: { udp: "udp-53", tcp: "tcp-53" } },
  },
};
const cilium = { ...rke2, kubeProxyMode: "none", cni: "cilium", networkPolicies: true } as const;

const rendered = (props: ClusterDnsProps) => render((chart) => new ClusterDns(chart, "dns", props));

function configOf(props: ClusterDnsProps, name: RegExp): Part {
  const { data } = rendered(props).object("ConfigMap", name);
  return JSON.parse(String(data?.["config.json"])) as Part;
}

const ports = (number: number) => [
  { protocol: "UDP", port: number },
  { protocol: "TCP", port: number },
];

describe("a DNS Service that is not ours", () => {
  it("gives rules the name by which kube-proxy's chains go", () => {
    expect(configOf(openShift, /node-local-dns-agent-.*/)["clusterDNSService"]).toEqual({
      namespace: "openshift-dns",
      name: "dns-default",
      udpPort: "dns",
      tcpPort: "dns-tcp",
    });
  });

  it("is not looked for in kube-system by the smoke test", () => {
    const config = (props: ClusterDnsProps) => configOf({ ...props, smokeTest: true }, /cluster-dns-smoke-test-.*/);
    expect(config(openShift)["dnsService"]).toMatchObject(openShift.authoritativeDNS?.service ?? {});
    expect(config({ ...facts, ...agent })).not.toHaveProperty("dnsService");
  });

  it.each<[what: string, props: ClusterDnsProps]>([
    ["node-cache", rke2],
    ["a cache with Cilium", cilium],
  ])("has its pods and their port in the Service that %s asks", (_, props) => {
    expect(rendered(props).object("Service", "kube-dns-upstream").spec).toMatchObject({
      selector,
      ports: [
        { name: "dns", port: 53, protocol: "UDP", targetPort: 1053 },
        { name: "dns-tcp", port: 53, protocol: "TCP", targetPort: 1053 },
      ],
    });
  });

  it("is redirected by Cilium to container ports of the same names", () => {
    const { object, container } = rendered(cilium);
    const toPorts = [
      { name: "udp-53", port: "53", protocol: "UDP" },
      { name: "tcp-53", port: "53", protocol: "TCP" },
    ];
    expect(object("CiliumLocalRedirectPolicy", "node-local-dns").spec).toMatchObject({
      redirectFrontend: { serviceMatcher: { serviceName: "rke2-coredns", namespace: "kube-system", toPorts } },
      redirectBackend: { toPorts },
    });
    expect(container("DaemonSet", "node-local-dns")["ports"]).toMatchObject([
      { name: "udp-53", containerPort: 53 },
      { name: "tcp-53", containerPort: 53 },
    ]);
  });

  it("is let through by network policies at the port of its pods", () => {
    expect(rendered(cilium).object("NetworkPolicy", "node-local-dns").spec?.["egress"]).toEqual([
      { ports: [...ports(53), ...ports(1053)] },
    ]);
    expect(dnsEgress(openShift)).toEqual([
      {
        to: [
          {
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "openshift-dns" } },
            podSelector: { matchLabels: { "dns.operator.openshift.io/daemonset-dns": "default" } },
          },
        ],
        ports: ports(5353),
      },
      { to: ["10.43.0.10/32", "169.254.20.10/32"].map((cidr) => ({ ipBlock: { cidr } })), ports: ports(53) },
    ]);
  });
});
