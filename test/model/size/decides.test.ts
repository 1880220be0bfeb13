import { describe, expect, it } from "vitest";
import { renderCluster } from "../../../src/charts/render-cluster";
import { clusterOf } from "../../../src/model/cluster/cluster";
import { bySize } from "../../../src/model/effective/by-size";
import type { AuthoritativeDnsOptions, AutoscalerOptions } from "../../../src/model/props/authoritative-dns";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { ClusterSize } from "../../../src/model/props/size";
import { mostNodesAtOnce, rolloutSeconds } from "../../../src/model/size/rollout";
import { sizeOf } from "../../../src/model/full-props/size";
import { cached, componentOf } from "../../cached";
import type { Part } from "../../constructs/rendered";

const uncached: ClusterDnsProps = { ...cached, nodeLocalDNS: { state: "disabled" } };
const onSome: ClusterDnsProps = { ...cached, nodeLocalDNS: { nodePlacement: { nodeSelector: { dns: "cached" } } } };

const draining: ClusterDnsProps = { ...cached, kubeProxyMode: "ipvs", nodeLocalDNS: { state: "draining" } };

const dnsOf = (props: ClusterDnsProps) => componentOf("authoritativeDns", props);

/** Notes that a size adds. */
function notes(props: ClusterDnsProps): string[] {
  const { size: _size, ...unsized } = props;
  const before = clusterOf(unsized).notes;
  return clusterOf(props).notes.filter((note) => !before.includes(note));
}

describe("replicas and their CPU", () => {
  const said = { replicas: 50, resources: { requests: { cpu: "1" } } };
  const onEach = { kind: "DaemonSet" } as const;
  it.each<[who: string, props: ClusterDnsProps, nodes: number, replicas: number | undefined, cpu: string]>([
    ["caches", cached, 1, 2, "100m"],
    ["caches", cached, 256, 2, "100m"],
    ["caches", cached, 257, 3, "100m"],
    ["pods, at the cap", uncached, 1600, 100, "100m"],
    ["pods, capped", uncached, 5000, 100, "320m"],
    ["pods of nodes without a cache", onSome, 100, 7, "100m"],
    ["pods, while the cache drains", draining, 100, 7, "100m"],
    ["a user who says them", { ...cached, authoritativeDNS: said }, 5000, 50, "1"],
    ["a DaemonSet, which are those of its nodes", { ...uncached, authoritativeDNS: onEach }, 15_000, undefined, "100m"],
  ])("of %s (%#)", (_, props, nodes, replicas, cpu) => {
    expect(dnsOf({ ...props, size: { nodes } })).toMatchObject({ replicas, resources: { requests: { cpu } } });
  });

  it.each([{}, { size: { services: 20_000 } }, { size: { pods: 100_000 } }])("are the usual ones of any %j", (size) => {
    expect(dnsOf({ ...uncached, ...size })).toMatchObject({ replicas: 2, resources: { requests: { cpu: "100m" } } });
  });
});

describe("an autoscaler", () => {
  it.each<[props: ClusterDnsProps, size: ClusterSize | undefined, given: AutoscalerOptions, settings: object]>([
    [cached, undefined, {}, { nodesPerReplica: 16, coresPerReplica: 256, min: 2, max: undefined }],
    [cached, { nodes: 5000 }, {}, { nodesPerReplica: 128, coresPerReplica: 2048, min: 2, max: undefined }],
    [uncached, { nodes: 5000 }, {}, { nodesPerReplica: 16, coresPerReplica: 256, min: 2, max: 100 }],
    [uncached, { nodes: 5000 }, { min: 120 }, { min: 120, max: 120 }],
    [cached, { nodes: 5000 }, { nodesPerReplica: 64, max: 60 }, { nodesPerReplica: 64, max: 60 }],
    [cached, undefined, { mode: "horizontal" }, { min: 2, max: 8, cpuUtilization: 70 }],
    [cached, { nodes: 5000 }, { mode: "horizontal" }, { min: 40, max: 100 }],
    [cached, { nodes: 5000 }, { mode: "horizontal", max: 20 }, { min: 20, max: 20 }],
    [cached, { nodes: 5000 }, { mode: "horizontal", min: 150 }, { min: 150, max: 150 }],
  ])("%#", (props, size, autoscaler, settings) => {
    const dns = dnsOf({ ...props, ...(size && { size }), authoritativeDNS: { autoscaler } });
    expect(dns.replicas).toBeUndefined();
    expect(dns.autoscaler).toMatchObject(settings);
  });

  // GitOps controllers apply the number that is there: the next one begins with the pods of the one before.
  it("hands over to the other without going below what the size asks for", () => {
    const least = (autoscaler: AutoscalerOptions) => {
      const settings = dnsOf({ ...cached, size: { nodes: 5000 }, authoritativeDNS: { autoscaler } }).autoscaler;
      if (settings?.mode !== "cluster-proportional") return settings?.min;
      return Math.max(settings.min, Math.ceil(5000 / settings.nodesPerReplica));
    };
    expect(least({ mode: "horizontal" })).toBe(least({}));
  });
});

describe("the cache keeps of the cluster's names", () => {
  const kept = (size: ClusterSize | undefined, more: Partial<ClusterDnsProps> = {}) => {
    const { clusterCache } = componentOf("nodeLocalDns", { ...cached, ...(size && { size }), ...more }).names;
    return [clusterCache?.success.capacity, clusterCache?.denial.capacity];
  };

  it.each<[size: ClusterSize | undefined, positive: number]>([
    [undefined, 9984],
    [{ nodes: 5000 }, 9984],
    [{ nodes: 5000, pods: 50_000 }, 9984],
    [{ nodes: 5000, pods: 300_000 }, 19_968],
    [{ nodes: 5000, pods: 550_000 }, 20_224],
    [{ nodes: 10, pods: 1100 }, 9984],
    [{ pods: 100_000 }, 9984],
  ])("as many as the pods of a node ask for, and as there are Services: %j", (size, positive) => {
    expect(kept(size)).toEqual([positive, 9984]);
  });

  it("as many as a file says", () => {
    const nodeLocalDNS = { cache: { success: { capacity: 2048 } } };
    expect(kept({ nodes: 5000, pods: 550_000 }, { nodeLocalDNS })).toEqual([2048, 9984]);
  });
});

describe("a rollout", () => {
  /** Surge and unavailability of each DaemonSet. */
  function shares(props: ClusterDnsProps): { [name: string]: unknown } {
    const objects = renderCluster(clusterOf(props)).components.flatMap((each) => each.objects as object as Part[]);
    const rolled = objects.filter(({ kind }) => String(kind) === "DaemonSet");
    const how = ({ spec }: Part) => spec?.updateStrategy?.rollingUpdate;
    const shared = (each: Part) => [how(each)?.maxSurge, how(each)?.maxUnavailable];
    return Object.fromEntries(rolled.map((each) => [String(each.metadata?.name), shared(each)]));
  }

  const all: ClusterDnsProps = { ...cached, nodeResolver: { services: ["registry.default.svc"] } };

  it.each<[nodes: number | undefined, tenth: string | number, third: string | number, quarter: string | number]>([
    [undefined, "10%", "33%", "25%"],
    [750, "10%", "33%", "25%"],
    [1000, "10%", 250, "25%"],
    [2500, "10%", 250, 250],
    [2501, 250, 250, 250],
    [15_000, 250, 250, 250],
  ])("on %s nodes", (nodes, tenth, third, quarter) => {
    const size = nodes === undefined ? {} : { size: { nodes } };
    const each = { "node-local-dns": [tenth, 0], "node-local-dns-watchdog": [0, tenth], "node-resolver": [0, third] };
    expect(shares({ ...all, ...size })).toEqual(each);
    expect(shares({ ...all, ...size, authoritativeDNS: { kind: "DaemonSet" } })["coredns"]).toEqual([quarter, 0]);
    const { agentImage: _agentImage, ...upstreams } = cached;
    expect(shares({ ...upstreams, ...size })["node-local-dns"]).toEqual([0, tenth]);
  });

  it("to more nodes may take longer", () => {
    const seconds = [100, 1200, 5000, 15_000].map((nodes) => rolloutSeconds(sizeOf({ nodes })));
    expect(seconds).toEqual([180, 180, 750, 2250]);
  });
});

describe("a note says what a file says otherwise:", () => {
  const nodes = 5000;
  const small = { nodeLocalDNS: { cache: { success: { capacity: 1024 } } } };
  const dns = (authoritativeDNS: AuthoritativeDnsOptions) => ({ authoritativeDNS });
  const scaled = (autoscaler: AutoscalerOptions) => dns({ autoscaler });
  it.each<[what: string, props: Partial<ClusterDnsProps>, said: RegExp | undefined]>([
    ["nothing", {}, undefined],
    ["enough", { authoritativeDNS: { replicas: 40 } }, undefined],
    ["an autoscaler", { authoritativeDNS: { autoscaler: {} } }, undefined],
    ["a horizontal one", { authoritativeDNS: { autoscaler: { mode: "horizontal" } } }, undefined],
    ["two replicas", { authoritativeDNS: { replicas: 2 } }, /^authoritativeDNS\.replicas: 2 .* 5000 .* 40;/],
    ["too low a limit", scaled({ max: 5 }), /^authoritativeDNS\.autoscaler\.max: 5 .* 40;/],
    ["too few by nodes", scaled({ nodesPerReplica: 1000 }), /^authoritativeDNS\.autoscaler\.nodesPerReplica: 5 .* 40;/],
    ["a horizontal one's", scaled({ mode: "horizontal", max: 5 }), /^authoritativeDNS\.autoscaler\.max: 5 .* 40;/],
    ["too many", scaled({ nodesPerReplica: 16 }), /^authoritativeDNS\.autoscaler\.nodesPerReplica: 313 .* 100;/],
    ["one on each node", { authoritativeDNS: { kind: "DaemonSet" } }, /^authoritativeDNS\.kind: 5000 .* keep to 100;/],
    ["one on some nodes", dns({ kind: "DaemonSet", nodePlacement: { nodeSelector: { infra: "" } } }), undefined],
    ["too little CPU", dns({ resources: { requests: { cpu: "50m" } } }), /^\S+\.resources\.requests\.cpu 50m .* 100m;/],
    ["no cache", { nodeLocalDNS: { state: "disabled" } }, /^5000 nodes without a cache on every node: 100 /],
    ["a small cache", { size: { nodes, pods: 300_000 }, ...small }, /^nodeLocalDNS\S+capacity 1024 .* 19968;/],
    ["too few, of nobody knows how many nodes", { size: { pods: 150_000 }, ...dns({ replicas: 1 }) }, undefined],
  ])("%s", (_, props, said) => {
    const found = notes({ ...cached, size: { nodes }, ...props });
    expect(found).toEqual(said ? [expect.stringMatching(said)] : []);
  });
});

describe("explained are", () => {
  const scaled = { ...uncached, authoritativeDNS: { autoscaler: { mode: "horizontal" } } } as const;
  const { reasons, derived } = bySize(clusterOf({ ...scaled, size: { nodes: 5000 } }));

  it("what keys of the description follow", () => {
    const resources = ["requests.cpu", "requests.memory", "limits.memory"].map((each) => `resources.${each}`);
    const keys = ["autoscaler.min", "autoscaler.max", ...resources].map((each) => `authoritativeDNS.${each}`);
    expect(Object.keys(reasons)).toEqual(expect.arrayContaining(keys));
  });

  it("the memory of each thing that is held", () => {
    expect(reasons["authoritativeDNS.resources.requests.memory"]).toContain("150000 pods behind Services x 1 kB");
    const pinned = bySize(clusterOf({ ...cached, resilience: { pinnedNames: ["a.example"] } })).reasons;
    expect(pinned["nodeLocalDNS.resources.limits.memory"]).toContain(" answers of pinned names x ");
  });

  it("what has no key", () => {
    expect(derived).toEqual([{ what: "GOMEMLIMIT of authoritativeDNS", value: "956MiB", because: expect.any(String) }]);
    const all = bySize(clusterOf({ ...cached, size: { nodes: 5000 }, gitops: { flux: {} } })).derived;
    expect(all.map(({ value }) => value)).toEqual(expect.arrayContaining([mostNodesAtOnce, 750]));
  });
});
