import { describe, expect, it } from "vitest";
import { readState } from "../../src/live/read-state";

const timeAdded = "2026-01-01T00:00:00Z";
const taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule", timeAdded };
const metadata = { name: "a", labels: { "kubernetes.io/os": "linux" } };
const aNode = { apiVersion: "v1", kind: "Node", metadata, spec: { unschedulable: true, taints: [taint] } };
const read = (value: unknown) => readState(JSON.stringify(value));
const list = (...items: unknown[]) => read({ apiVersion: "v1", kind: "List", items });

describe("a cluster", () => {
  it.each([
    ["kubectl's list", { kind: "List", items: [aNode] }],
    ["the API server's list", { kind: "NodeList", items: [{ ...aNode, kind: undefined }] }],
    ["a single object", aNode],
  ])("is read from %s", (_, value) => expect(read(value).nodes).toEqual([aNode]));

  it("has no list of what the file has none of", () => {
    expect(read({ kind: "List", items: [] })).toMatchObject({ nodes: undefined, workloads: undefined, others: [] });
  });

  it.each([
    ["labels", { metadata: { name: "a", labels: null } }, { metadata: { name: "a" } }],
    ["taints", { metadata: { name: "a" }, spec: { taints: null } }, { metadata: { name: "a" }, spec: {} }],
  ])("has nodes whose %s are null", (_, given, kept) => {
    const nodes = [{ apiVersion: "", kind: "Node", ...kept }];
    expect(list({ kind: "Node", ...given }).nodes).toEqual(nodes);
  });

  it("may be abridged by hand, and null is no value", () => {
    const { workloads = [] } = list({ kind: "Deployment", metadata: { name: "d", labels: null } });
    expect(workloads).toEqual([
      { apiVersion: "", kind: "Deployment", metadata: { name: "d" }, spec: { template: { spec: { containers: [] } } } },
    ]);
  });

  it.each<[what: string, text: string, problem: string]>([
    ["what is not JSON", "NAME STATUS ROLES", "is not JSON"],
    ["a node without a name", '{"kind":"List","items":[{"kind":"Node","metadata":{}}]}', "item 1 of 1: is not as"],
    ["labels that are no texts", '{"kind":"Node","metadata":{"name":"a","labels":{"b":1}}}', "Node a: is not as"],
    ["half a taint", '{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"key":"b"}]}}', "Node a: is not as"],
    ["containers, no list", '{"kind":"Pod","metadata":{"name":"p"},"spec":{"containers":1}}', "Pod p: is not as"],
    ["an image, no text", '{"kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"image":{}}]}}', "Pod p: is"],
  ])("is not read from %s", (_what, text, problem) => expect(() => readState(text)).toThrow(problem));
});

describe("kube-proxy's mode", () => {
  const configMap = (name: string, data: object) => ({ kind: "ConfigMap", metadata: { name }, data });
  const configuration = (mode: string) =>
    `apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n${mode}`;
  const modes = (...items: unknown[]) => list(aNode, ...items).proxyConfigurations;

  it.each(
    Object.entries({ "mode: ipvs": "ipvs", "mode: nftables": "nftables", 'mode: ""': "iptables", "a: b": "iptables" }),
  )("%s is %s", (line, mode) => {
    const data = { "config.conf": configuration(line), "kubeconfig.conf": "kind: Config" };
    const source = "ConfigMap kube-proxy (config.conf)";
    expect(modes(configMap("kube-proxy", data))).toEqual([{ mode, source, configMap: "kube-proxy" }]);
  });

  it("is not read from other ConfigMaps", () => {
    const others = [
      configMap("notes", { text: "see KubeProxyConfiguration: {" }),
      configMap("other", { text: "kind: Other\nof: KubeProxyConfiguration" }),
      { kind: "ConfigMap", metadata: { name: "empty" } },
      configMap("kube-proxy-windows", { "config.conf": configuration("mode: kernelspace") }),
    ];
    expect(modes(...others)).toEqual([]);
  });
});
