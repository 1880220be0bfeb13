import { describe, expect, it } from "vitest";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { TenancyOptions } from "../../../src/model/props/tenancy";
import { type Member, memberOf, type NamespaceFacts, tenancyOf } from "../../../src/model/tenancy/membership";
import { podDnsConfig as podDnsConfigOf } from "../../../src/model/tenancy/pod-dns-config";

const tenants = [{ name: "baz", namespaces: ["bar"] }];
const facts: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", tenancy: { tenants } };
const bar = { tenant: "baz", namespace: "bar" };

function podDnsConfig(props: ClusterDnsProps, member: Member) {
  const { podDns } = clusterOf(props);
  return podDns && podDnsConfigOf(podDns, member);
}

describe("the DNS configuration of a tenant's pod", () => {
  // With isolation open and soft: test/seeds.
  it("has the whole search list with isolation: hard", () => {
    const props = { ...facts, clusterDomain: "corp.internal", tenancy: { tenants, isolation: "hard" } } as const;
    const searches = ["bar.baz.svc.corp.internal", "baz.svc.corp.internal", "svc.corp.internal", "corp.internal"];
    expect(podDnsConfig(props, bar)).toMatchObject({ searches });
  });

  it("names the servers that the cluster's pods ask", () => {
    const linkLocal: ClusterDnsProps = { ...facts, kubeProxyMode: "ipvs", agentImage: "registry.example/agent:1" };
    expect(podDnsConfig(linkLocal, bar)).toMatchObject({ nameservers: ["169.254.20.10"] });
    expect(podDnsConfig({ ...facts, kubeProxyMode: "none" }, bar)).toMatchObject({ nameservers: ["10.96.0.10"] });
  });
});

const [systemTenant, infra] = [{ name: "infra" }, { tenant: "infra" }];
const ofSystem = { name: "kube-system", labels: { tenant: "baz" } };
const label: TenancyOptions = { tenants: [{ name: "baz" }], membership: "label", namespaceLabel: "tenant" };
it.each<[what: string, tenancy: TenancyOptions, namespace: NamespaceFacts, member: object | undefined]>([
  ["lists it", { tenants }, { name: "bar" }, bar],
  ["does not list it", { tenants }, { name: "other" }, undefined],
  ["is its prefix", { tenants: [{ name: "baz" }], membership: "prefix" }, { name: "baz-bar" }, bar],
  ["is all of its name", { tenants: [{ name: "baz" }], membership: "prefix" }, { name: "baz" }, undefined],
  ["has nothing after the hyphen", { tenants: [{ name: "baz" }], membership: "prefix" }, { name: "baz-" }, undefined],
  ["is on its label", label, { name: "bar", labels: { tenant: "baz" } }, bar],
  ["is not on its label", label, { name: "bar", labels: { tenant: "acme" } }, undefined],
  ["cannot be on the label of the cluster's own", label, { name: "default", labels: { tenant: "baz" } }, undefined],
  ["the system's", { tenants, systemTenant }, { name: "default" }, { ...infra, namespace: "default" }],
  ["is the system's in spite of a label", { ...label, systemTenant }, ofSystem, { ...infra, namespace: "kube-system" }],
])("a namespace's tenant: %s", (_, tenancy, namespace, member) =>
  expect(memberOf(tenancyOf(tenancy), namespace)).toEqual(member),
);
