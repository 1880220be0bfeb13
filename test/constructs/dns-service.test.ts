import { expect, it } from "vitest";
import { ClusterDns } from "../../src/constructs/cluster-dns";
import { dnsEgress } from "../../src/model/network-policies/dns-egress";
import type { DnsServiceOptions } from "../../src/model/props/dns-service";
import { rendererOf } from "./rendered";

const agent = { agentImage: "agent:1" } as const;
const facts = { clusterDNS: ["10.43.0.10"], kubeProxyMode: "iptables" } as const;
const existing = (service: DnsServiceOptions) => ({ authoritativeDNS: { kind: "Existing", service } }) as const;
const ofOpenShift = { "dns.operator.openshift.io/daemonset-dns": "default" };
const named = { namespace: "openshift-dns", name: "dns-default" };
const openShift = { ...facts, ...agent, ...existing({ ...named, selector: ofOpenShift, targetPort: 5353 }) };
const selector = { "app.kubernetes.io/name": "rke2-coredns", "k8s-app": "kube-dns" };
const portNames = { udp: "udp-53", tcp: "tcp-53" };
const rke2 = { ...facts, ...existing({ name: "rke2-coredns", selector, targetPort: 1053, portNames }) };
const cilium = { ...rke2, kubeProxyMode: "none", cni: "cilium", networkPolicies: true } as const;

const rendered = rendererOf(ClusterDns, "dns", rke2);

const ports = (port: number) => ["UDP", "TCP"].map((protocol) => ({ protocol, port }));
/** Both ports with fields of the one or the other name. */
const both = <T>(of: (udpOrTcp: "udp" | "tcp") => T) => (["udp", "tcp"] as const).map(of);

it("has its pods and their port in the Service that node-cache, or a cache with Cilium, asks", () => {
  const asked = ports(53).map((each, i) => ({ ...each, targetPort: 1053, name: ["dns", "dns-tcp"][i] }));
  for (const props of [rke2, cilium])
    expect(rendered(props).object("Service", "kube-dns-upstream").spec).toMatchObject({ selector, ports: asked });
});

it("is redirected by Cilium to container ports of the same names", () => {
  const { object, container } = rendered(cilium);
  const toPorts = both((each) => ({ name: portNames[each], port: "53", protocol: each.toUpperCase() }));
  expect(object("CiliumLocalRedirectPolicy", "node-local-dns").spec).toMatchObject({
    redirectFrontend: { serviceMatcher: { serviceName: "rke2-coredns", namespace: "kube-system", toPorts } },
    redirectBackend: { toPorts },
  });
  const containerPorts = both((each) => ({ name: portNames[each], containerPort: 53 }));
  expect(container("DaemonSet", "node-local-dns")["ports"]).toMatchObject(containerPorts);
});

it("is let through by network policies at the port of its pods", () => {
  const { spec } = rendered(cilium).object("NetworkPolicy", "node-local-dns");
  expect(spec?.["egress"]).toEqual([{ ports: [...ports(53), ...ports(1053)] }]);
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": "openshift-dns" } };
  const pods = { namespaceSelector, podSelector: { matchLabels: ofOpenShift } };
  expect(dnsEgress(openShift)).toEqual([
    { to: [pods], ports: ports(5353) },
    { to: ["10.43.0.10/32", "169.254.20.10/32"].map((cidr) => ({ ipBlock: { cidr } })), ports: ports(53) },
  ]);
});
