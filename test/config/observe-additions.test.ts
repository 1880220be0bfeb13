import { describe, expect, it } from "vitest";
import { observe } from "../../src/config/observe";
import { readState } from "../../src/live/read-state";
import { corefile, inKubeSystem, kubeProxy, seen, service } from "./observed";

const coreDNS = (image: string) =>
  inKubeSystem("Deployment", "coredns", { spec: { template: { spec: { containers: [{ name: "coredns", image }] } } } });

describe("what is new in the cluster with its file", () => {
  it.each<[what: string, objects: object[], additions: unknown[]]>([
    ["a node cache", [service, kubeProxy("")], [expect.stringContaining("a node cache: it keeps names outside")]],
    ["none where one is", [service, kubeProxy(""), inKubeSystem("DaemonSet", "nodelocaldns", { spec: {} })], []],
    ["one where no mode is shown", [service], [expect.stringContaining("a node cache: ")]],
    ["one where the mode is refused", [service, kubeProxy("userspace")], [expect.stringContaining("a node cache: ")]],
    ["none without what leads queries to it", [kubeProxy("")], []],
    ["another CoreDNS", [coreDNS("k8s.gcr.io/coredns:1.6.7")], ["CoreDNS 1.14.7, in place of 1.6.7"]],
    ["the same CoreDNS", [coreDNS("mirror.example/coredns/coredns:v1.14.7")], []],
    [
      "its owner's CoreDNS",
      [
        {
          ...coreDNS("eks/coredns:v1.11.4-eksbuild.2"),
          metadata: { name: "coredns", labels: { heritage: "deckhouse" } },
        },
      ],
      [],
    ],
  ])("say what the cluster has only with the file: %s", (_, items, additions) => {
    expect(observe(readState(JSON.stringify({ items }))).additions).toEqual(additions);
  });

  it.each([
    ["of the older program what that knows", undefined, { duration: "1h", refresh: "verify" }],
    [
      "of CoreDNS, with Cilium, all",
      "cilium",
      { duration: "1h", refresh: "verify", timeout: "2s", responseTTL: "10s" },
    ],
  ])("give a new node cache CoreDNS's settings for names outside, not its capacities: %s", (_, cni, serveStale) => {
    const cache = "cache 60 {\n success 5000\n denial 5000 30\n serve_stale 1h verify 2s 10s\n}";
    const cilium = inKubeSystem("ConfigMap", "cilium-config", { data: {} });
    const items = [service, kubeProxy(""), ...(cni ? [cilium] : []), corefile(`. {\n${cache}\nforward . 8.8.8.8\n}`)];
    const expected = { outsideCache: { success: { ttl: 60 } }, cache: { serveStale } };
    expect(seen(...items).description["nodeLocalDNS"]).toEqual(expected);
    const today = inKubeSystem("DaemonSet", "node-local-dns", { spec: {} });
    expect(seen(...items, today).description).not.toHaveProperty("nodeLocalDNS");
  });

  it("give it those of a CoreDNS that its owner keeps", () => {
    const kept = { ...service, metadata: { ...service.metadata, labels: { heritage: "deckhouse" } } };
    const items = [kept, kubeProxy(""), corefile(".:53 {\n  cache 60\n  forward . 8.8.8.8\n}\n")];
    expect(seen(...items).description).toMatchObject({
      authoritativeDNS: { kind: "Existing" },
      nodeLocalDNS: { outsideCache: { success: { ttl: 60 }, denial: { ttl: 60 } } },
    });
  });
});
