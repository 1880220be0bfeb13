import { describe, expect, it } from "vitest";
import { authoritativeCorefileOf, nodeLocalDnsCorefileOf } from "../../../rig/coredns/corefile-of";
import type { Corefile, Directive } from "../../../src/model/corefile/corefile";
import { lineOf } from "../../../src/model/corefile/line";
import { renderCorefile } from "../../../src/model/corefile/render";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { cached, componentOf } from "../../cached";

const on: ClusterDnsProps = { ...cached, resilience: true };
const outside = [".", "udp"] as const;

const viewOf = ({ plugins }: Corefile[number]) => plugins.find(({ name }) => name === "view")?.args[0];

/** The lines of a plugin in the block of a zone; with a view, of that. */
function lines(corefile: Corefile, plugin: string, zone: string, view?: string): string[] {
  const blocks = corefile.filter(({ keys }) => keys.some((key) => key.zone === zone && key.port === 53));
  return ofPlugin(blocks.find((block) => viewOf(block) === view)?.plugins ?? [], plugin);
}

function ofPlugin(plugins: readonly Directive[], plugin: string): string[] {
  const own = plugins.filter(({ name }) => name === plugin);
  return own.flatMap((each) => (each.options.length > 0 ? each.options : [each])).map(lineOf);
}

const stale = (duration: string) => `serve_stale ${duration} verify 1s 30s`;
const preferred = ["serve_stale_policy prefer_positive", "servfail 0s"];

describe("stale answers", () => {
  it.each<[string, ClusterDnsProps["resilience"], outside: string[], cluster: string[]]>([
    ["true", true, [stale("6h"), ...preferred], [stale("6h")]],
    ["other times", { staleNames: "2h", staleClusterNames: "3h" }, [stale("2h"), ...preferred], [stale("3h")]],
    ["answers as they come", { preferPositive: false }, [stale("6h")], [stale("6h")]],
    ["none outside", { staleNames: false }, [], [stale("6h")]],
    ["none of the cluster", { staleClusterNames: false }, [stale("6h"), ...preferred], []],
    ["false", false, [], []],
  ])("%s: of names outside in both servers, of the cluster's in the cache", (_, resilience, wanted, ofCluster) => {
    const props = { ...cached, resilience };
    const [server, cache] = [authoritativeCorefileOf(props), nodeLocalDnsCorefileOf(props)];
    const said = (corefile: Corefile, ...of: [string, string?]) =>
      lines(corefile, "cache", ...of).filter((line) => line.startsWith("serv"));
    expect(said(server, ...outside)).toEqual(wanted);
    expect(said(cache, ...outside)).toEqual(wanted);
    expect(said(cache, "cluster.local")).toEqual(ofCluster);
    expect(said(server, "cluster.local")).toEqual([]);
  });

  it.each(Object.entries({ 2: "1s", 3: "750ms", 29: "100ms" }))(
    "a walk over %i domains of the node asks for all names before a pod asks again",
    (count, timeout) => {
      const nodeDomains = Array.from({ length: Number(count) }, (_, i) => `d${i}.example`);
      const props = { ...cached, resilience: { pinnedNames: ["a.b"] }, nodeLocalDNS: { searchPath: { nodeDomains } } };
      for (const view of ["pinned", "udp"])
        expect(lines(nodeLocalDnsCorefileOf(props), "cache", ".", view).join()).toContain(` verify ${timeout} 30s,`);
    },
  );

  it("those of deleted names are not preferred where the cluster DNS knows which names there are", () => {
    const to = "a.b.svc.cluster.local";
    const suffix = (from: string, leads: string) => ({ match: "suffix", from, to: leads }) as const;
    const props: ClusterDnsProps = {
      ...on,
      rewrites: [
        { from: "a.example", to },
        { from: "zoned.example", to: "www.own.example" },
        { from: "kept.apps.example", to: "elsewhere.example" },
        suffix(".kept.apps.example", ".elsewhere.example"),
        suffix(".apps.example", ".b.svc.cluster.local"),
        { from: "second.apps.example", to: "elsewhere.example" },
        { from: "a.c.svc.cluster.local", to },
        { from: "stubbed.example", to: "a.stub.svc.cluster.local" },
        { from: "fallen.example", to: "a.part.example" },
        { match: "prefix", from: "old-", to: "new-" },
        { match: "suffix", from: "glued.example", to },
        { match: "regex", from: "^it's-(?<app>.*)\\.example\\.$", to: "{1}.b.svc.cluster.local" },
        { from: "behind.example", to },
      ],
      stubDomains: Object.fromEntries(["a.own.example", "stub.svc.cluster.local"].map((zone) => [zone, ["192.0.2.1"]])),
      zones: { "own.example": { records: {} }, "part.example": { records: {}, fallthrough: true } },
    };
    const [server, cache] = [authoritativeCorefileOf(props), nodeLocalDnsCorefileOf(props)];
    expect(lines(server, "view", ".", "answered")).toMatchSnapshot("in CoreDNS");
    expect(lines(server, "cache", ".", "answered")).toEqual([]);
    expect(lines(cache, "view", ".", "answered")).toMatchSnapshot("in the node cache");
    expect(lines(cache, "cache", ".", "answered")).toEqual(["success 1024 30", "denial 1024 30", stale("6h")]);
    const asTheyCome = { ...props, resilience: { preferPositive: false } };
    expect(lines(nodeLocalDnsCorefileOf(asTheyCome), "view", ".", "answered")).toEqual([]);
  });

  it("what a server's cache says for itself takes their place there", () => {
    const cache = nodeLocalDnsCorefileOf({ ...on, nodeLocalDNS: { cache: { serveStale: "10m" } } });
    expect(lines(cache, "cache", ...outside)).toContain(stale("10m"));
    expect(lines(cache, "cache", "cluster.local").join()).not.toContain("serve_stale");
  });
});

describe("pinned names", () => {
  const props: ClusterDnsProps = { ...cached, resilience: { pinnedNames: ["Registry.example.", "idp.example"] } };

  it.each([
    ["CoreDNS", authoritativeCorefileOf(props)],
    ["the node cache", nodeLocalDnsCorefileOf(props)],
  ])("have a cache of their own in %s, before the block of all names", (_, corefile) => {
    expect(lines(corefile, "cache", ".", "pinned")).toEqual([
      // In each of 256 shards all that there can be: two names, six types, four kinds of clients.
      `success ${256 * 48} 30`,
      `denial ${256 * 48} 5`,
      stale("72h"),
      ...preferred,
    ]);
    expect(lines(corefile, "view", ".", "pinned")).toEqual([
      "expr name() in ['idp.example.', 'registry.example.'] && type() in ['A', 'AAAA', 'HTTPS', 'MX', 'SRV', 'TXT'] && class() == 'IN'",
    ]);
    const ofAll = corefile.filter(({ keys }) => keys.some(({ zone }) => zone === "."));
    expect(ofAll.map(viewOf)).toEqual(["pinned", "udp", undefined]);
  });

  it("are asked where the others are, and get what is added for others", () => {
    const authoritativeDNS = { corefile: { otherNames: "nsid" } };
    const corefile = authoritativeCorefileOf({
      ...props,
      stubDomains: { "idp.example": ["10.1.2.3"] },
      authoritativeDNS,
    });
    const all = corefile.find(({ plugins }) => plugins.some(({ args }) => args[0] === "pinned"))?.plugins ?? [];
    expect(all.filter(({ name }) => name === "forward").map(({ args }) => args[0])).toEqual(["idp.example", "."]);
    expect(ofPlugin(all, "nsid")).toHaveLength(1);
  });

  it("count in the memory that both need", () => {
    const limit = (of: ClusterDnsProps, name: "authoritativeDns" | "nodeLocalDns" = "nodeLocalDns") =>
      Number.parseInt(componentOf(name, of).memory.limit ?? "");
    for (const name of ["authoritativeDns", "nodeLocalDns"] as const)
      expect(limit(props, name)).toBeGreaterThan(limit(on, name));
    // A wildcard of a zone may have answers of any size.
    const more = limit({ ...on, rewrites: [{ from: "a.example", to: "a.b.svc.cluster.local" }] });
    expect([limit(on) < more, more < limit({ ...on, zones: { "a.example": { records: {} } } })]).toEqual([true, true]);
  });
});

describe("errors and load", () => {
  const everywhere: ClusterDnsProps = {
    ...on,
    stubDomains: { "corp.example": ["10.1.2.3"] },
    zones: { "a.example": { records: { "@": { A: ["192.0.2.1"] } } } },
    nodeLocalDNS: { searchPath: { nodeDomains: [] } },
  };

  it.each([
    ["CoreDNS", authoritativeCorefileOf(everywhere)],
    ["the node cache", nodeLocalDnsCorefileOf(everywhere)],
  ])("every block of %s counts its errors by kind, and those that pods ask shed alike", (_, corefile) => {
    const kinds = new Set(corefile.map(({ plugins }) => ofPlugin(plugins, "errors").length));
    expect([...kinds]).toEqual([4]);
    const asked = corefile.filter(({ plugins }) => !ofPlugin(plugins, "bind").join().includes("127.254.20."));
    expect(asked.map(({ plugins }) => ofPlugin(plugins, "shed").length)).toEqual(asked.map(() => 1));
  });

  it("what somebody adds stays as it is, and a block over TLS, which cannot shed, does not", () => {
    const blocks = "tls://own.example {\n tls cert key\n errors {\n consolidate 5m .*\n }\n whoami\n}";
    const otherNames = "errors {\n stacktrace\n}\nshed";
    const corefile = authoritativeCorefileOf({ ...on, authoritativeDNS: { corefile: { otherNames, blocks } } });
    expect(lines(corefile, "errors", ...outside)).toEqual(["stacktrace"]);
    expect(lines(corefile, "shed", ...outside)).toEqual(["shed"]);
    const own = corefile.find(({ keys }) => keys[0]?.transport === "tls")?.plugins ?? [];
    expect([ofPlugin(own, "errors"), ofPlugin(own, "shed")]).toEqual([["consolidate 5m .*"], []]);
  });

  it("each can be turned off", () => {
    const resilience = { shed: false, consolidateErrors: false } as const;
    expect(renderCorefile(authoritativeCorefileOf({ ...cached, resilience }))).not.toMatch(/consolidate|shed/);
  });
});

it("a CoreDNS before 1.14.7, as in k8s-dns-node-cache, has no part of it", () => {
  const older = { authoritativeDNS: { image: "coredns:1.14.6" }, nodeLocalDNS: { engine: "node-cache" } } as const;
  const resilience = { pinnedNames: ["a.example"] };
  for (const of of [authoritativeCorefileOf, nodeLocalDnsCorefileOf])
    expect(of({ ...cached, ...older, resilience })).toEqual(of({ ...cached, ...older }));
});
