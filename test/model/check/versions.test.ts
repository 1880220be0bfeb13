import { describe, expect, it } from "vitest";
import { problemsOf } from "./problems";

describe("what a version of Kubernetes supports: what is refused, and the message", () => {
  it.each<[message: string, props: object]>([
    [
      'kubernetesVersion: "1.27" is not supported; accepted: "1.28" to "1.37", without patch version',
      { kubernetesVersion: "1.27" },
    ],
    [
      'kubernetesVersion: "1.38" is not supported; accepted: "1.28" to "1.37", without patch version',
      { kubernetesVersion: "1.38" },
    ],
    [
      'kubernetesVersion: "1.034" is not supported; accepted: "1.28" to "1.37", without patch version',
      { kubernetesVersion: "1.034" },
    ],
    [
      'kubernetesVersion: "1.34.1" is not supported; accepted: "1.28" to "1.37", without patch version',
      { kubernetesVersion: "1.34.1" },
    ],
    [
      'kubernetesVersion: "v1.34" is not supported; accepted: "1.28" to "1.37", without patch version',
      { kubernetesVersion: "v1.34" },
    ],
    ["kubernetesVersion: 1.3 is a number; accepted: a string", { kubernetesVersion: 1.3 }],
    [
      'kubeProxyMode: nftables needs Kubernetes 1.29; kubernetesVersion is "1.28"',
      { kubernetesVersion: "1.28", kubeProxyMode: "nftables" },
    ],
    [
      'trafficDistribution: PreferClose needs Kubernetes 1.31; set kubernetesVersion: "1.31" or newer if the cluster has it',
      { trafficDistribution: "PreferClose" },
    ],
    [
      'trafficDistribution: PreferClose needs Kubernetes 1.31; kubernetesVersion is "1.30"',
      { kubernetesVersion: "1.30", trafficDistribution: "PreferClose" },
    ],
    [
      'trafficDistribution: PreferSameNode needs Kubernetes 1.34; kubernetesVersion is "1.33"',
      { kubernetesVersion: "1.33", trafficDistribution: "PreferSameNode" },
    ],
    [
      'trafficDistribution: PreferSameZone needs Kubernetes 1.34; kubernetesVersion is "1.33"',
      { kubernetesVersion: "1.33", trafficDistribution: "PreferSameZone" },
    ],
    [
      'authoritativeDNS.nodePlacement.tolerations[0].operator: operator: Gt needs Kubernetes 1.35; set kubernetesVersion: "1.35" or newer if the cluster has it',
      { authoritativeDNS: { nodePlacement: { tolerations: [{ key: "cost", operator: "Gt", value: "5" }] } } },
    ],
    [
      'authoritativeDNS.nodePlacement.tolerations[0].operator: operator: Lt needs Kubernetes 1.35; kubernetesVersion is "1.34"',
      {
        kubernetesVersion: "1.34",
        authoritativeDNS: { nodePlacement: { tolerations: [{ key: "cost", operator: "Lt", value: "5" }] } },
      },
    ],
  ])("%s", (message, props) => {
    expect(problemsOf(props)).toEqual([message]);
  });
});

it.each<[what: string, props: object]>([
  ["the oldest", { kubernetesVersion: "1.28" }],
  ["the newest", { kubernetesVersion: "1.37" }],
  ["nftables where nothing is said", { kubeProxyMode: "nftables" }],
  ["nftables from 1.29", { kubernetesVersion: "1.29", kubeProxyMode: "nftables" }],
  ["PreferClose from 1.31", { kubernetesVersion: "1.31", trafficDistribution: "PreferClose" }],
  ["PreferSameNode from 1.34", { kubernetesVersion: "1.34", trafficDistribution: "PreferSameNode" }],
  [
    "numeric tolerations from 1.35",
    {
      kubernetesVersion: "1.35",
      authoritativeDNS: { nodePlacement: { tolerations: [{ key: "cost", operator: "Lt", value: "5" }] } },
    },
  ],
])("accepts %s", (_, props) => {
  expect(problemsOf(props)).toEqual([]);
});
