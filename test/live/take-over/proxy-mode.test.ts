import { expect, it } from "vitest";
import { cilium, inKubeSystem, kubeadm, taken, without } from "./objects";

const daemonSet = (name: string, container: object, fields: object = {}) =>
  inKubeSystem("DaemonSet", name, { spec: { template: { spec: { containers: [container], ...fields } } } });
const proxy = (args: string[], fields: object = {}) =>
  daemonSet("kube-proxy", { name: "kube-proxy", image: "kube-proxy:v1", args }, fields);
const agent = daemonSet("cilium", { name: "a", image: "quay.io/cilium/cilium:v1.17.3@sha256:a" });
const nowhere = { nodeSelector: { "non-calico": "true" } };
// Of kube-proxy: test/model/running/find-proxy.
it.each<[what: string, objects: object[], said: object, todo?: RegExp]>([
  ["of Cilium", [cilium({ "enable-local-redirect-policy": "true" })], { kubeProxyMode: "none", cni: "cilium" }],
  [
    "of Cilium that would not redirect",
    [cilium({ "enable-local-redirect-policy": "false" }), agent],
    { kubeProxyMode: "none", cni: "cilium", ciliumVersion: "1.17.3" },
    /^ConfigMap cilium-config: enable-local-redirect-policy is false/,
  ],
])("%s", (_, objects, said, todo) => {
  const others = without("ConfigMap", "coredns").filter(({ metadata }) => metadata.name !== "kube-proxy");
  const found = taken([...others, ...objects]);
  expect(found.own).toMatchObject(said);
  expect(found.own["kubeProxyMode"]).toBe((said as { kubeProxyMode?: string }).kubeProxyMode);
  expect(found.todo).toEqual(todo ? [expect.stringMatching(todo)] : []);
});

it("is asked for where kube-proxy runs on no node", () => {
  expect(taken([...kubeadm(), proxy(["--config=a"], nowhere)]).reasons["kubeProxyMode"]).toMatch(
    /^DaemonSet kube-system\/kube-proxy runs on no node \(non-calico: true\): set none/,
  );
});
