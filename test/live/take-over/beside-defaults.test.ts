import { describe, expect, it } from "vitest";
import { resolve } from "../../../src/model/check/resolve";
import { commonLabels } from "../../../src/model/object-names";
import { configMap, corefile as kubeadmText, inKubeSystem, kubeProxy, service, taken } from "./objects";

const kubeadmCorefile = kubeadmText();
const corefile = (text: string) => configMap("coredns", { Corefile: text });

const volumes = [{ name: "config", configMap: { name: "coredns" } }];
function coreDNS(fields: object = {}, replicas = 2) {
  const template = { spec: { volumes, containers: [{ name: "coredns" }], ...fields } };
  return inKubeSystem("Deployment", "coredns", { spec: { replicas, template } });
}
const cluster = [service, kubeProxy("nftables"), corefile(kubeadmCorefile), coreDNS()];
const foreign = inKubeSystem("Service", "kube-dns", { spec: { clusterIPs: ["10.96.0.10"], selector: { app: "dns" } } });
const noCache = { nodeLocalDNS: { state: "disabled" } };
const anyPods = { selector: { matchLabels: {} } };
const ourCache = { kind: "DaemonSet", metadata: { name: "node-local-dns", labels: commonLabels }, spec: anyPods };

function beside(shared: { readonly [key: string]: unknown }, items: readonly object[] = cluster) {
  return taken(items, { kubeProxyMode: "nftables", clusterDNS: ["10.96.0.10"], ...shared });
}

describe("beside a fleet's defaults file, a cluster file", () => {
  const fleets = { kind: "DaemonSet", replicas: 5, ttl: 5, cache: { success: { ttl: 5 } } };
  const own = { kind: "Deployment", replicas: 2, ttl: 30, cache: { success: { ttl: 30 } } };
  it.each<[what: string, shared: { readonly [key: string]: unknown }, description: object, items?: object[]]>([
    ["what it says already", noCache, {}],
    ["a list, which replaces the fleet's", { ...noCache, clusterDNS: ["10.0.0.10"] }, { clusterDNS: ["10.96.0.10"] }],
    ["our default", { ...noCache, clusterDomain: "corp.example" }, { clusterDomain: "cluster.local" }],
    ["none", { ...noCache, hostAliases: [{ ip: "10.1.1.1", hostnames: ["a.example"] }] }, { hostAliases: [] }],
    ["its default", { ...noCache, upstreamPolicy: "sequential", imageRegistry: "a.b" }, { upstreamPolicy: "random" }],
    ["what differs", { ...noCache, authoritativeDNS: { ...fleets, pods: "insecure" } }, { authoritativeDNS: own }],
    [
      "a mapping in place of a value",
      { ...noCache, authoritativeDNS: { cache: { serveStale: "1h" } } },
      { authoritativeDNS: { cache: { serveStale: { duration: "2h", refresh: "immediate", responseTTL: "30s" } } } },
      [corefile(kubeadmCorefile.replace("disable success cluster.local", "serve_stale 2h immediate 30s"))],
    ],
    ["a node cache", noCache, { nodeLocalDNS: { state: "enabled" } }, [ourCache]],
    [
      "that a CoreDNS beside a node cache of ours is somebody's, whatever its Service",
      {},
      { authoritativeDNS: { kind: "Existing", service: { selector: { app: "dns" } } } },
      [foreign, coreDNS({}, 7), ourCache],
    ],
    ["no number beside an autoscaler", { ...noCache, authoritativeDNS: { autoscaler: {} } }, {}, [coreDNS({}, 7)]],
    ["nothing of one left to its owner", { ...noCache, authoritativeDNS: { kind: "Existing" } }, {}, [coreDNS({}, 7)]],
  ])("says %s", (_, shared, description, items = cluster) => {
    expect(beside(shared, items).description).toEqual(description);
  });

  it("says replicas, and resources that are another size's defaults, not those of the fleet's size", () => {
    const of = (size: object) =>
      resolve({ clusterDNS: ["10.96.0.10"], kubeProxyMode: "nftables", ...noCache, size }).cluster?.components
        .authoritativeDns?.resources;
    const size = { nodes: 5000 };
    const sized = (resources: unknown) =>
      beside({ ...noCache, size }, [coreDNS({ containers: [{ name: "coredns", resources }] })]).description;
    expect(sized(of(size))).toEqual({ authoritativeDNS: { replicas: 2 } });
    expect(sized(of({ nodes: 100 }))).toEqual({ authoritativeDNS: { replicas: 2, resources: of({ nodes: 100 }) } });
  });

  it("does not overrule everything, which is listed", () => {
    const shared = {
      ...noCache,
      agentImage: "registry.example/agent:v1",
      stubDomains: { "a.example": ["10.1.1.1"], "b.example": ["10.1.1.2"] },
      authoritativeDNS: { nodePlacement: { nodeSelector: { "kubernetes.io/os": "linux", dns: "yes" } } },
    };
    const text = `${kubeadmCorefile}a.example:53 {\n  forward . 10.1.1.3\n}\n`;
    const nodeSelector = { "kubernetes.io/os": "linux" };
    expect(beside(shared, [corefile(text), coreDNS({ nodeSelector })])).toMatchObject({
      description: { stubDomains: { "a.example": ["10.1.1.3"] } },
      inherited: [
        'kubeProxyMode: "nftables"',
        'clusterDNS: ["10.96.0.10"]',
        'agentImage: "registry.example/agent:v1"',
        'stubDomains.b.example: ["10.1.1.2"]',
        'authoritativeDNS.nodePlacement.nodeSelector.dns: "yes"',
      ],
    });
  });

  it("has a new node cache if the fleet has one, which keeps names as the fleet says or else as CoreDNS does", () => {
    const text = kubeadmCorefile.replace("cache 30", "cache 60");
    const items = [corefile(text), coreDNS()];
    const newCache = [expect.stringContaining("a node cache")];
    const [success, denial] = [{ success: { ttl: 60 } }, { denial: { ttl: 60 } }];
    const nodeLocalDNS = { outsideCache: { ...success, ...denial } };
    expect(beside({}, items)).toMatchObject({ description: { nodeLocalDNS }, new: newCache });
    const fleet = { nodeLocalDNS: { outsideCache: { success: { ttl: 300 } } }, authoritativeDNS: { cache: denial } };
    const description = { authoritativeDNS: { cache: success }, nodeLocalDNS: { outsideCache: denial } };
    expect(beside(fleet, items)).toMatchObject({ description, new: newCache });
    expect(beside(noCache, items)).toMatchObject({ new: [] });
  });

  it("leaves another node cache as it is if the fleet has none", () => {
    const other = inKubeSystem("DaemonSet", "nodelocaldns", { spec: {} });
    expect(beside(noCache, [other]).todo).toEqual([expect.stringContaining(", which stays as it is")]);
  });

  it("gets a node cache that does not depend on CoreDNS's Service from the fleet's agentImage", () => {
    const metadata = { name: "kube-dns", namespace: "dns", labels: { heritage: "deckhouse" } };
    const spec = { clusterIPs: ["10.96.0.10"], selector: { app: "dns" }, ports: [] };
    const items = [{ kind: "Service", metadata, spec }];
    expect(beside({ agentImage: "none" }, items).description["nodeLocalDNS"]).toEqual({ state: "disabled" });
    const { description, new: additions } = beside({ agentImage: "registry.example/agent:v1" }, items);
    expect(description).not.toHaveProperty("nodeLocalDNS");
    expect(additions).toHaveLength(1);
  });
});

it.each([{ kubeProxyMode: "iptable" }, { nodeLocalDNS: { interception: "links" } }, { authoritativeDNS: 5, cni: [] }])(
  "a mistake in a defaults file, %j, does not keep text of a Corefile from being taken over",
  (shared) => {
    const text = "corp.example {\n  cache 30\n  minimal\n  forward . 10.1.2.3\n}\n";
    const items = [service, corefile(kubeadmCorefile + text), coreDNS()];
    const blocks = expect.stringContaining("corp.example:53 {") as string;
    expect(taken(items, shared).own).toMatchObject({ authoritativeDNS: { corefile: { blocks } } });
  },
);
