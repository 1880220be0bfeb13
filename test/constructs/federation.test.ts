import { expect, it } from "vitest";
import { ClusterDns } from "../../src/constructs/cluster-dns";
import { Federation } from "../../src/constructs/federation";
import { render, rendererOf } from "./rendered";

const props = {
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "iptables",
  nodeLocalDNS: { state: "disabled" },
  clusterDomain: "corp.internal",
  federation: { name: "retail", domain: "clusters.example.com.", region: "eu-west", zone: "eu-west-1a" },
} as const;

it("gives the zone that pods ask, and the zone in which the federation should answer for the cluster", () => {
  const { objects } = render((chart) => {
    expect(new ClusterDns(chart, "whole", props).federation).toMatchObject({
      askedZone: "retail.svc.corp.internal",
      publishedZone: "retail.svc.eu-west-1a.eu-west.clusters.example.com",
    });
  });
  expect(objects.filter(({ kind }) => String(kind) === "ConfigMap")).toHaveLength(1);
});

it("refuses what the cluster file refuses, with its path", () => {
  const reserved = { ...props, federation: { ...props.federation, name: "pod" } };
  expect(rendererOf(Federation, "federation", reserved)).toThrow(/^test\/federation federation\.name: /);
});
