import { expect, it } from "vitest";
import { readState } from "../../../src/live/read-state";
import type { KubeProxyMode } from "../../../src/model/props/cluster-dns";
import { findProxy, otherProxyMode } from "../../../src/model/running/find-proxy";

const configuration = (mode: string) => ({
  kind: "ConfigMap",
  metadata: { name: "proxy" },
  data: { "config.conf": `kind: KubeProxyConfiguration\nmode: ${mode}\n` },
});
const cilium = (replacement: string) => {
  const data = { "kube-proxy-replacement": replacement };
  return { kind: "ConfigMap", metadata: { name: "cilium-config" }, data };
};
const runs = (image: string, volumes: object[] = []) => {
  const template = { spec: { containers: [{ name: "a", image }], volumes } };
  return { kind: "DaemonSet", metadata: { name: "a" }, spec: { template } };
};
const kubeProxy = runs("registry.k8s.io/kube-proxy:v1.37.1");
const mirrored = runs("mirror/p:1", [{ configMap: { name: "proxy" } }]);
const flagged = (...args: string[]) => ({
  ...kubeProxy,
  spec: { template: { spec: { containers: [{ name: "a", image: "kube-proxy:v1", args }] } } },
});
const idle = { ...kubeProxy, status: { desiredNumberScheduled: 0 } };
const stranger = runs("nginx");
const certain = true;

it.each<[what: string, objects: object[], said: KubeProxyMode, mode: string | undefined, isCertain?: boolean]>([
  ["its configuration", [configuration("ipvs"), kubeProxy], "ipvs", "ipvs"],
  ["its configuration, other than said", [configuration("ipvs"), kubeProxy], "iptables", "ipvs", certain],
  ["its configuration, without workloads", [configuration("ipvs")], "iptables", "ipvs", certain],
  ["a configuration that is left over", [configuration("iptables"), stranger], "none", "iptables"],
  ["a configuration that may be left over", [configuration("iptables")], "none", "iptables", !certain],
  ["a kube-proxy that runs", [configuration("iptables"), kubeProxy], "none", "iptables", certain],
  ["a kube-proxy of another image", [configuration("iptables"), mirrored], "none", "iptables", certain],
  ["Cilium in its place", [cilium("true")], "none", "none"],
  ["Cilium in its place, though said to run", [cilium("true"), stranger], "iptables", "none", certain],
  ["Cilium, and its remains", [cilium("strict"), configuration("ipvs"), stranger], "ipvs", "none", certain],
  ["Cilium beside it", [cilium("true"), configuration("ipvs"), kubeProxy], "ipvs", "ipvs"],
  ["its flags", [flagged("--proxy-mode=ipvs")], "iptables", "ipvs", certain],
  ["its flags, which say nothing", [flagged("--v=3")], "iptables", "iptables"],
  ["not its flags", [configuration("ipvs"), flagged("--config=a", "--proxy-mode=a")], "ipvs", "ipvs"],
  ["a configuration that a kube-proxy without a node left", [configuration("ipvs"), idle], "none", undefined],
  ["nothing", [stranger], "iptables", undefined],
])("by %s", (_, objects, said, mode, isCertain) => {
  const proxy = findProxy(readState(JSON.stringify({ items: objects })));
  expect({ mode: proxy.mode, isCertain: otherProxyMode(proxy, said)?.isCertain }).toEqual({ mode, isCertain });
});
