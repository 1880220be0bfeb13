import { describe, expect, it } from "vitest";
import { cilium, inKubeSystem, kubeadm, taken, without } from "./objects";

describe("kube-proxy's mode", () => {
  const proxy = (args: string[], fields: object = {}) =>
    inKubeSystem("DaemonSet", "kube-proxy", {
      spec: { template: { spec: { containers: [{ name: "kube-proxy", image: "kube-proxy:v1", args }], ...fields } } },
    });
  const nowhere = { nodeSelector: { "non-calico": "true" } };
  // Of kube-proxy: test/model/running/find-proxy.
  it.each<[what: string, objects: object[], said: object, todo?: RegExp]>([
    ["of Cilium", [cilium({ "enable-local-redirect-policy": "true" })], { kubeProxyMode: "none", cni: "cilium" }],
    [
      "of Cilium that would not redirect",
      [
        cilium({ "enable-local-redirect-policy": "false" }),
        inKubeSystem("DaemonSet", "cilium", {
          spec: {
            template: { spec: { containers: [{ name: "a", image: "quay.io/cilium/cilium:v1.17.3@sha256:a" }] } },
          },
        }),
      ],
      { kubeProxyMode: "none", cni: "cilium", ciliumVersion: "1.17.3" },
      /^ConfigMap cilium-config: enable-local-redirect-policy is false/,
    ],
  ])("%s", (_, objects, said, todo) => {
    const found = taken([
      ...without("ConfigMap", "coredns").filter(({ metadata }) => metadata.name !== "kube-proxy"),
      ...objects,
    ]);
    expect(found.own).toMatchObject(said);
    expect(found.own["kubeProxyMode"]).toBe((said as { kubeProxyMode?: string }).kubeProxyMode);
    expect(found.todo).toEqual(todo ? [expect.stringMatching(todo)] : []);
  });

  it("is asked for where kube-proxy runs on no node", () => {
    expect(taken([...kubeadm(), proxy(["--config=a"], nowhere)]).reasons["kubeProxyMode"]).toMatch(
      /^DaemonSet kube-system\/kube-proxy runs on no node \(non-calico: true\): set none/,
    );
  });
});
