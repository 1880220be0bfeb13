import { describe, expect, it } from "vitest";
import { cilium, problemsOf } from "./problems";

const tolerating = (operator: "Gt" | "Lt") => ({
  "authoritativeDNS.nodePlacement.tolerations": [{ key: "cost", operator, value: "5" }],
});

it.each<[message: string, props: object]>([
  ['kubernetesVersion: "1.27" is not supported', { kubernetesVersion: "1.27" }],
  ['kubernetesVersion: "1.38" is not supported', { kubernetesVersion: "1.38" }],
  ["kubeProxyMode: nftables needs Kubernetes 1.29; k", { kubernetesVersion: "1.28", kubeProxyMode: "nftables" }],
  ["trafficDistribution: PreferClose needs Kubernetes 1.31; set", { trafficDistribution: "PreferClose" }],
  ["PreferClose needs Kubernetes 1.31; kub", { kubernetesVersion: "1.30", trafficDistribution: "PreferClose" }],
  ["PreferSameNode needs Kubernetes", { kubernetesVersion: "1.33", trafficDistribution: "PreferSameNode" }],
  ["PreferSameZone needs Kubernetes", { kubernetesVersion: "1.33", trafficDistribution: "PreferSameZone" }],
  ["tolerations[0].operator: operator: Gt needs Kubernetes 1.35; set", tolerating("Gt")],
  ["operator: Lt needs Kubernetes 1.35; kubernetesVersion", { kubernetesVersion: "1.34", ...tolerating("Lt") }],
])("what a version of Kubernetes supports: what is refused, and the message: %s", (message, props) =>
  expect(problemsOf(props)).toEqual([expect.stringContaining(message)]),
);

const releases = { "1.34.1": "1.34", "v1.34": "1.34", "1.30.4-eks-1": "1.30", "1.034": undefined };
it.each(Object.entries({ ...releases, "1.27.3": undefined, "a1.34": undefined }))(
  "kubernetesVersion %s is refused, and means %s",
  (kubernetesVersion, meant) => {
    const [problem = ""] = problemsOf({ kubernetesVersion });
    expect(problem).toContain(`"${kubernetesVersion}" is not supported`);
    expect(/; write "(.*)"$/.exec(problem)?.[1]).toBe(meant);
  },
);

describe("versions of Cilium", () => {
  it.each(["1.18.0", "1.19.6", "1.20.1"])("%s, whose local redirect loses queries, is refused", (ciliumVersion) => {
    expect(problemsOf({ ...cilium, ciliumVersion })).toEqual([expect.stringContaining("cannot redirect")]);
  });

  it.each(["1.9.18", "1.17.12", "1.20.2", "1.21.0", "2.0.0"])("%s is accepted", (ciliumVersion) => {
    expect(problemsOf({ ...cilium, ciliumVersion })).toEqual([]);
  });

  it("are none of its business without a redirect", () => {
    expect(problemsOf({ ...cilium, ciliumVersion: "1.18.4", "nodeLocalDNS.state": "disabled" })).toEqual([]);
  });

  it("need Cilium", () => {
    expect(problemsOf({ ciliumVersion: "1.17.3" })).toEqual([expect.stringContaining("no effect without cni")]);
  });
});

it.each<[what: string, props: object]>([
  ["the oldest", { kubernetesVersion: "1.28" }],
  ["the newest", { kubernetesVersion: "1.37" }],
  ["nftables where nothing is said", { kubeProxyMode: "nftables" }],
  ["nftables from 1.29", { kubernetesVersion: "1.29", kubeProxyMode: "nftables" }],
  ["PreferClose from 1.31", { kubernetesVersion: "1.31", trafficDistribution: "PreferClose" }],
  ["PreferSameNode from 1.34", { kubernetesVersion: "1.34", trafficDistribution: "PreferSameNode" }],
  ["numeric tolerations from 1.35", { kubernetesVersion: "1.35", ...tolerating("Lt") }],
])("accepts %s", (_, props) => expect(problemsOf(props)).toEqual([]));
