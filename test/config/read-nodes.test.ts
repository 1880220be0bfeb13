import { describe, expect, it } from "vitest";
import { readNodes } from "../../src/config/read-nodes";

const aNode = {
  kind: "Node",
  metadata: { name: "a", labels: { "kubernetes.io/os": "linux" } },
  spec: {
    unschedulable: true,
    taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule", timeAdded: "2026-01-01T00:00:00Z" }],
  },
  status: { nodeInfo: { kubeletVersion: "v1.34.0" } },
};
const read = (value: unknown) => readNodes(JSON.stringify(value));
const list = (...items: unknown[]) => read({ apiVersion: "v1", kind: "List", items });

describe("nodes", () => {
  it("are read from kubectl's list, the API server's list, or a single node", () => {
    const expected = {
      recorded: {
        nodes: [{ name: "a", labels: aNode.metadata.labels, taints: aNode.spec.taints, unschedulable: true }],
        kubeProxyModes: [],
      },
    };
    const { kind: _kind, ...withoutKind } = aNode;
    expect(list(aNode)).toEqual(expected);
    expect(read({ kind: "NodeList", items: [withoutKind] })).toEqual(expected);
    expect(read(aNode)).toEqual(expected);
  });

  it("may have no labels, no taints and no spec", () => {
    expect(list({ kind: "Node", metadata: { name: "a" } })).toMatchObject({
      recorded: { nodes: [{ name: "a", labels: {}, taints: [], unschedulable: false }] },
    });
  });

  it.each<[what: string, text: string, problem: string]>([
    ["what is not JSON", "NAME STATUS ROLES", "is not JSON"],
    ["an empty list", '{"kind":"List","items":[]}', "has no node"],
    ["a list of something else", '{"kind":"List","items":[{"kind":"Pod","metadata":{"name":"p"}}]}', "has no node"],
    ["a number", "1", "has no node"],
    ["a node without a name", '{"kind":"List","items":[{"kind":"Node","metadata":{}}]}', "node 1 of 1 is not as"],
    ["labels that are no texts", '{"kind":"Node","metadata":{"name":"a","labels":{"b":1}}}', "node 1 of 1 is not as"],
    [
      "a taint without effect",
      '{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"key":"b"}]}}',
      "node 1 of 1 is not as",
    ],
  ])("are not read from %s", (_what, text, problem) => {
    const result = readNodes(text);
    expect("problem" in result && result.problem).toContain(problem);
    expect("problem" in result && result.problem).toContain("kubectl get nodes -o json");
  });
});

describe("kube-proxy's mode", () => {
  const configMap = (name: string, data: { [key: string]: string }) => ({
    kind: "ConfigMap",
    metadata: { name },
    data,
  });
  const configuration = (mode: string) =>
    `apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n${mode}`;
  const modes = (...items: unknown[]) => {
    const result = list(aNode, ...items);
    return "recorded" in result ? result.recorded.kubeProxyModes : [];
  };

  it.each([
    ["mode: ipvs", "ipvs"],
    ["mode: nftables", "nftables"],
    ['mode: ""', "iptables"],
    ["clusterCIDR: 10.0.0.0/8", "iptables"],
  ])("%s is %s", (line, mode) => {
    expect(
      modes(configMap("kube-proxy", { "config.conf": configuration(line), "kubeconfig.conf": "kind: Config" })),
    ).toEqual([{ mode, source: "ConfigMap kube-proxy (config.conf)" }]);
  });

  it("is not read from other ConfigMaps", () => {
    expect(
      modes(
        configMap("notes", { text: "see KubeProxyConfiguration: {" }),
        configMap("other", { text: "kind: Other\nof: KubeProxyConfiguration" }),
        { kind: "ConfigMap", metadata: { name: "empty" } },
        configMap("kube-proxy-windows", { "config.conf": configuration("mode: kernelspace") }),
      ),
    ).toEqual([]);
  });
});
