import { expect, it } from "vitest";
import { ClusterDns } from "../../src/constructs/cluster-dns";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { cached } from "../cached";
import { rendererOf } from "./rendered";

const rendered = rendererOf(ClusterDns, "dns", cached);
const webhook = "cluster-dns-webhook";
const admission = { allowedUsers: ["argo"], enforcement: "webhook" } as const;
const dns = ["UDP", "TCP"].map((protocol) => ({ protocol, port: 53 }));
const any = [{ protocol: "UDP" }, { protocol: "TCP" }];

function policies(props: Partial<ClusterDnsProps>) {
  const found = rendered(props).objects.filter(({ kind }) => String(kind) === "NetworkPolicy");
  return Object.fromEntries(found.map(({ metadata, spec }) => [String(metadata?.name), spec]));
}

it.each<[props: Partial<ClusterDnsProps>, names: string[]]>([
  [{ networkPolicies: true, authoritativeDNS: { autoscaler: {} } }, ["coredns", "dns-autoscaler", webhook]],
  [{}, [webhook]],
  [{ networkPolicies: false }, []],
  [{ networkPolicies: {}, kubeProxyMode: "none", cni: "cilium" }, ["coredns", "node-local-dns", webhook]],
  [{ networkPolicies: true, authoritativeDNS: { kind: "Existing" } }, [webhook]],
])("%j: of the pods on the pod network", (props, names) => {
  expect(Object.keys(policies({ admission, ...props }))).toEqual(names);
});

it.each<Partial<ClusterDnsProps>>([
  { upstreamNameservers: ["9.9.9.9:9953"] },
  { stubDomains: { "corp.example": ["10.96.1.2"] } },
])("%j: a named server may be a Service, which leads to any port of nodes and of addresses outside", (named) => {
  const { egress } = policies({ networkPolicies: true, ...named })["coredns"] as unknown as { egress: object[] };
  const [, ...upstreams] = egress;
  expect(upstreams).toEqual([{ ports: any }]);
});

it("Cilium's cache, which does not call the API server, may ask over TLS, too", () => {
  const cilium = { kubeProxyMode: "none", cni: "cilium", networkPolicies: { metricsNamespaces: [] } } as const;
  const overTLS = { upstreamNameservers: ["9.9.9.9"], upstreamTLSServerName: "dns.quad9.net" };
  const cache = policies({ ...cilium, ...overTLS })["node-local-dns"];
  const podSelector = { matchLabels: { "k8s-app": "node-local-dns" } };
  expect(cache).toMatchObject({ podSelector, ingress: [{ ports: dns }], egress: [{ ports: any }] });
});
