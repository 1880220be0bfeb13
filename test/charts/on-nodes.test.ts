import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { renderCluster } from "../../src/charts/render-cluster";
import { clusterOf } from "../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import type { PodSpec, Rendered } from "../properties/invariants";
import { namesIn, readText } from "../repository";

const cached: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "agent:1" };
const clusters = [
  ...namesIn("clusters")
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => [file, parse(readText(`clusters/${file}`)) as ClusterDnsProps] as const),
  ["a cleanup", { ...cached, nodeLocalDNS: { state: "removed" } }] as const,
  ["hosts files that are cleaned", { ...cached, nodeResolver: { services: ["a.b.svc"], state: "removed" } }] as const,
  ["iptables", { ...cached, nodeLocalDNS: { packetFilter: "iptables" } }] as const,
];

/** Pods on every node or on a node's network, but CoreDNS itself, whose zone is what the API server holds. */
function onNodes(objects: readonly Rendered[]): [name: string, pod: PodSpec][] {
  return objects.flatMap(({ kind, metadata: { name }, spec }) => {
    const pod = spec?.template?.spec;
    const isOnNode = kind === "DaemonSet" || pod?.hostNetwork === true;
    return pod && isOnNode && name !== "coredns" ? [[name, pod] as [string, PodSpec]] : [];
  });
}

function render(props: ClusterDnsProps): Rendered[] {
  return renderCluster(clusterOf(props)).components.flatMap((each) => each.objects as readonly Rendered[]);
}

// An API server that is overloaded or gone takes no node's DNS with it (docs/threat-model.md).
describe("pods on nodes have no way to the API server", () => {
  it.each(clusters)("of %s", (_, props) => {
    const objects = render(props);
    const accounts = objects.filter(({ kind }) => kind === "ServiceAccount");
    const bound = objects.flatMap(({ subjects = [] }) => subjects.map(({ name }) => name));
    for (const [, pod] of onNodes(objects)) {
      const account = accounts.find(({ metadata }) => metadata.name === pod.serviceAccountName);
      expect([pod.automountServiceAccountToken, account?.automountServiceAccountToken]).toEqual([false, false]);
      expect(bound).not.toContain(pod.serviceAccountName);
      const { volumes = [], containers, initContainers = [] } = pod;
      expect(volumes.filter(({ projected, secret }) => projected ?? secret)).toEqual([]);
      const paths = volumes.flatMap(({ hostPath }) => hostPath?.path ?? []);
      expect(paths.filter((path) => /^\/(?:etc\/kubernetes|var\/lib\/kubelet)/.test(path))).toEqual([]);
      const words = [...containers, ...initContainers].flatMap(({ command = [], args = [] }) => [...command, ...args]);
      expect(words.filter((word) => /kubeconfig|apiserver/i.test(word))).toEqual([]);
    }
  });

  it("which are all that there are", () => {
    const names = clusters.flatMap(([, props]) =>
      onNodes(render(props)).map(([name]) => name.replace(/-[0-9a-f]{10}$/, "")),
    );
    const all =
      "cluster-dns-smoke-test-host node-local-dns node-local-dns-cleanup node-local-dns-watchdog node-resolver";
    expect([...new Set(names)].sort()).toEqual(all.split(" "));
  });
});
