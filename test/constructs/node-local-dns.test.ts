import { describe, expect, it } from "vitest";
import { LocalRedirectPolicy } from "../../src/constructs/local-redirect-policy";
import { configHash, healthPort } from "../../src/model/corefile/hash";
import { defaults } from "../../src/model/defaults";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import type { NodeLocalDnsOptions } from "../../src/model/props/node-local-dns";
import { modeTable, propsOf } from "../model/query-path/mode-table";
import { cached } from "../cached";
import { cache, cacheOf } from "./cache";
import { type Part, type render, rendererOf } from "./rendered";

function corefileOf(rendered: ReturnType<typeof render>): string {
  return String(rendered.object("ConfigMap", /node-local-dns-[0-9a-f]{10}/).data?.Corefile);
}

function environment(container: Part): { [name: string]: unknown } {
  return Object.fromEntries((container.env as unknown as Part[]).map(({ name, value }) => [String(name), value]));
}

describe.each(modeTable)("$kubeProxyMode, cni $cni, $interception, $clusterDNS, link by $linkMadeBy", (row) => {
  const rendered = cacheOf(propsOf(row));
  const pod = rendered.pod("DaemonSet", "node-local-dns");

  it("has both an upstream Service and its variable, or neither", () => {
    const asked = row.forward === "upstream-service";
    expect(rendered.has("Service", "kube-dns-upstream")).toBe(asked);
    expect(corefileOf(rendered).includes("{$KUBE_DNS_UPSTREAM_SERVICE_HOST}")).toBe(asked);
  });

  it("sets up the node's link, if any, before the cache starts, unless the cache does", () => {
    const ours = row.linkMadeBy === "agent";
    const args = ["node-setup", "--config", "/etc/agent/config.json"];
    expect(pod.initContainers?.[0]?.args).toEqual(ours ? args : undefined);
    expect(rendered.has("ConfigMap", /node-local-dns-agent-.*/)).toBe(ours);
  });

  it("is the cluster DNS's own image, as it is, unless upstream's makes the link", () => {
    const { image } = rendered.container("DaemonSet", "node-local-dns");
    if (row.linkMadeBy === "node-cache") expect(image).toBe(defaults.nodeCacheImage);
    else expect(image).toBe(defaults.authoritativeDNS.image);
  });
});

describe("an update drops no query", () => {
  // health listens with SO_REUSEPORT: on a common port the old pod would answer for a new one that serves nothing.
  it("the health port follows from the configuration, image included", () => {
    const clusters: Parameters<typeof cache>[] = [[], [{}, { clusterDomain: "a.b" }], [{ image: "coredns:v1.15.0" }]];
    const ports = clusters.map((props) => {
      const rendered = cache(...props);
      const container = rendered.container("DaemonSet", "node-local-dns");
      const { CONFIG_HASH, HEALTH_PORT } = environment(container);
      expect(CONFIG_HASH).toBe(configHash(`${corefileOf(rendered)}\n${String(container.image)}`));
      expect(HEALTH_PORT).toBe(String(healthPort(String(CONFIG_HASH))));
      return HEALTH_PORT;
    });
    expect(new Set(ports).size).toBe(3);
  });

  it("node-setup knows what the cache's Corefile and port are, if rendered", () => {
    const rendered = cache();
    const [setup] = rendered.pod("DaemonSet", "node-local-dns").initContainers as unknown as [Part];
    const { HEALTH_PORT } = environment(rendered.container("DaemonSet", "node-local-dns"));
    const [mount] = rendered.container("DaemonSet", "node-local-dns").volumeMounts as unknown as Part[];
    expect(environment(setup)).toMatchObject({ COREFILE_HASH: configHash(corefileOf(rendered)), HEALTH_PORT });
    expect(setup.volumeMounts).toContainEqual(mount);
  });

  it("of the configuration is a new immutable ConfigMap; the old one stays while pods may need it", () => {
    const of = (options: NodeLocalDnsOptions) => cache(options).object("ConfigMap", /node-local-dns-[0-9a-f]{10}/);
    const [one, other] = [of({}), of({ cache: { serveStale: "1h" } })];
    const annotations = {
      "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
      "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
      "kustomize.toolkit.fluxcd.io/prune": "disabled",
    };
    expect(one).toMatchObject({ immutable: true, metadata: { annotations } });
    expect(one?.metadata?.name).not.toBe(other?.metadata?.name);
  });
});

it("the search path is a file beside the Corefile, and makes another configuration", () => {
  const one = cache({ searchPath: { nodeDomains: [] } });
  const other = cache({ searchPath: { nodeDomains: ["corp.example"] } });
  const map = one.object("ConfigMap", /node-local-dns-[0-9a-f]{10}/);
  expect(map.data).toMatchObject({ "search-path": "search invalid. svc.cluster.local. cluster.local.\n" });
  const items = ["Corefile", "search-path"].map((file) => ({ key: file, path: file }));
  const configMap = expect.objectContaining({ name: map.metadata?.name, items }) as unknown;
  expect(one.pod("DaemonSet", "node-local-dns").volumes).toContainEqual(expect.objectContaining({ configMap }));
  const hashes = [one, other].map(({ container }) => environment(container("DaemonSet", "node-local-dns")).CONFIG_HASH);
  expect(new Set(hashes).size).toBe(2);
});

it.each<[what: string, options: NodeLocalDnsOptions, more: Partial<ClusterDnsProps>, message: string]>([
  [
    "without the agent's image",
    { state: "removed" },
    { agentImage: undefined },
    "test/cache nodeLocalDNS.state: needs agentImage",
  ],
  ["of an option", { markBit: 3 }, {}, "test/cache nodeLocalDNS.markBit: 3 is not one bit"],
  ["without a cache", { state: "disabled" }, {}, "test/cache has no cache to construct: nodeLocalDNS.state is"],
  ["in a mode without one", {}, { kubeProxyMode: "none" }, "test/cache nodeLocalDNS: is not possible with"],
])("an error names the construct: %s", (_, options, more, message) =>
  expect(() => cache(options, more)).toThrow(message),
);

it("an error says why there is no cache although nothing turns it off", () => {
  const construct = () => cacheOf({ kubeProxyMode: "none" });
  expect(construct).toThrow("test/cache has no cache to construct: kubeProxyMode none without cni");
});

it("a redirect policy needs Cilium", () => {
  const construct = rendererOf(LocalRedirectPolicy, "redirect", cached);
  expect(construct).toThrow("test/redirect has nothing to redirect: only Cilium does it");
  expect(construct({ cni: "cilium" }).names).toEqual(["CiliumLocalRedirectPolicy node-local-dns"]);
});
