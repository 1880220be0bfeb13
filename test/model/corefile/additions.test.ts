import { describe, expect, it } from "vitest";
import { authoritativeCorefileOf, nodeLocalDnsCorefileOf } from "../../../rig/coredns/corefile-of";
import { clusterOf } from "../../../src/model/cluster/cluster";
import { blockFor } from "../../../src/model/corefile/compare";
import type { Corefile } from "../../../src/model/corefile/corefile";
import { lineOf } from "../../../src/model/corefile/line";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { CorefileAdditions } from "../../../src/model/props/corefile";

const facts: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "nftables", agentImage: "agent:1" };

function lines(corefile: Corefile, zone: string): string[] {
  return (blockFor(corefile, zone)?.plugins ?? []).map(lineOf);
}

describe("additions", () => {
  const corefile: CorefileAdditions = {
    clusterNames: "log",
    otherNames: "errors {\n stacktrace\n}\ntemplate ANY ANY bad.example {\n rcode NXDOMAIN\n}",
    blocks: "a.example {\n errors\n forward . 10.1.1.1\n}",
  };

  it("are merged into the blocks that they are for, and printed once", () => {
    const merged = authoritativeCorefileOf({ ...facts, authoritativeDNS: { corefile } });
    expect(lines(merged, "cluster.local")).toContain("log");
    expect(lines(merged, "b.example")).not.toContain("log");
    expect(lines(merged, "b.example").filter((each) => /errors|template/.test(each))).toEqual([
      "errors { stacktrace }",
      "template ANY ANY bad.example { rcode NXDOMAIN }",
    ]);
    expect(lines(merged, "a.example")).toEqual(["errors", "bufsize 1232", "prometheus :9153", "forward . 10.1.1.1"]);
  });

  it("to the cache listen where it does", () => {
    const merged = nodeLocalDnsCorefileOf({
      ...facts,
      nodeLocalDNS: { corefile: { blocks: "a.example {\n whoami\n}" } },
    });
    expect(lines(merged, "a.example")).toContain("bind 169.254.20.10 10.96.0.10");
  });

  it.each<
    [what: string, zones: string[] | "all" | undefined, ofCoreDNS: CorefileAdditions, ofCache?: CorefileAdditions]
  >([
    ["zones that CoreDNS answers in its way", ["a.example", "bad.example"], corefile],
    ["nothing for logs", undefined, { otherNames: "log" }],
    ["all names for a plugin that answers any", "all", { otherNames: "any" }],
    ["nothing that the cache has as well", undefined, { otherNames: "any" }, { otherNames: "\nany" }],
    ["all names for a plugin that nobody knows", "all", { otherNames: "mdns", plugins: ["mdns"] }],
  ])("the cache asks CoreDNS for %s", (_, zones, ofCoreDNS, ofCache) => {
    const props = { ...facts, authoritativeDNS: { corefile: ofCoreDNS }, nodeLocalDNS: { corefile: ofCache ?? {} } };
    const there = clusterOf(props).components.nodeLocalDns?.names.askedThere;
    expect(there?.isAll ? "all" : there?.zones).toEqual(zones);
  });

  it("that turn a promise off say so", () => {
    const { notes } = clusterOf({ ...facts, authoritativeDNS: { corefile: { otherNames: "debug" } } });
    expect(notes).toContain("authoritativeDNS.corefile: debug: a panic ends CoreDNS, and not only one answer");
  });
});
