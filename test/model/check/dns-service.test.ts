import { expect, it } from "vitest";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { DnsServiceOptions } from "../../../src/model/props/dns-service";
import { agentImage, problemsOf } from "./problems";

const elsewhere: DnsServiceOptions = { namespace: "openshift-dns", name: "dns-default", targetPort: 5353 };
const cilium = { kubeProxyMode: "none", cni: "cilium" } as const;
const none = { nodeLocalDNS: { state: "disabled" } } as const;

it.each<[at: string, service: object, props?: Partial<ClusterDnsProps>]>([
  ["service: describes", {}, { authoritativeDNS: { kind: "Deployment" } }],
  ["service: describes", {}, { authoritativeDNS: { kind: "DaemonSet" } }],
  ["service.selector: has no label", { selector: {} }],
  ["service.selector.k8s-app: ", { selector: { "k8s-app": "-" } }],
  ["service.selector.a/b/c: ", { selector: { "a/b/c": "x" } }],
  ["service.portNames: ", { portNames: { udp: "dns-tcp" } }],
  ["service.namespace: openshift-dns is out of the cache's reach", elsewhere, { agentImage: "none" }],
  ["service.namespace: openshift-dns is out of Cilium's reach", elsewhere, cilium],
  ["service.portNames.udp: ", { portNames: { udp: "dns-over-plain-udp" } }, cilium],
  ["service.portNames.tcp: ", { portNames: { tcp: "53" } }, cilium],
])("refuses %s%j", (message, service, props) => {
  const authoritativeDNS = { kind: "Existing", ...props?.authoritativeDNS, service };
  expect(problemsOf({ agentImage, ...props, authoritativeDNS })).toEqual([
    expect.stringContaining(`authoritativeDNS.${message}`),
  ]);
});

it.each<[service: DnsServiceOptions, props: Partial<ClusterDnsProps>]>([
  [elsewhere, {}],
  [elsewhere, { nodeLocalDNS: { interception: "link-local", packetFilter: "iptables" } }],
  [elsewhere, { agentImage: "none", ...none }],
  // node-cache with link-local asks the address of the Service.
  [elsewhere, { agentImage: "none", kubeProxyMode: "ipvs" }],
  [elsewhere, { ...cilium, ...none }],
  [{ portNames: { udp: "dns-over-plain-udp" } }, {}],
  [{ portNames: { udp: "dns-over-plain-udp" } }, { ...cilium, ...none }],
  [{ name: "rke2-coredns-rke2-coredns", portNames: { udp: "udp-53", tcp: "tcp-53" } }, cilium],
])("accepts %j with %j", (service, props) => {
  expect(problemsOf({ agentImage, ...props, authoritativeDNS: { kind: "Existing", service } })).toEqual([]);
});
