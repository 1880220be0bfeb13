import { expect, it } from "vitest";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { cached } from "../../cached";

const on: ClusterDnsProps = { ...cached, kubernetesVersion: "1.34", resilience: true };
const { kubernetesVersion: _version, ...unknownVersion } = on;

it.each<[what: string, props: ClusterDnsProps, notes: string[]]>([
  ["all of it", on, []],
  ["a cluster that may be older", unknownVersion, ["no share of the API server"]],
  ["a share that is turned off", { ...unknownVersion, resilience: { apiPriority: false } }, []],
  ["an older one", { ...on, authoritativeDNS: { image: "coredns:1.13.0" } }, ["authoritativeDNS has no part of it"]],
  ["k8s-dns-node-cache", { ...on, nodeLocalDNS: { engine: "node-cache" } }, ["nodeLocalDNS has no part of it"]],
  ["no cache", { ...on, nodeLocalDNS: { state: "disabled" } }, ["staleClusterNames has no effect"]],
  ["a CoreDNS that is not ours", { ...on, authoritativeDNS: { kind: "Existing" } }, ["only the node cache"]],
])("%s: notes say which part a cluster does not get", (_, props, wanted) => {
  const notes = clusterOf(props).notes.filter((note) => note.startsWith("resilience: "));
  expect(notes).toEqual(wanted.map((each) => expect.stringContaining(each)));
});
