import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { whyNoCoreDNS } from "../../../../rig/coredns/coredns";
import { sameAnswers } from "../../../../rig/same-answers/same-answers";
import { configMap, coreDns, kubeProxy, node, nodeCache, service, serviceSpec } from "../../../live/take-over/objects";
import { oddCorefiles } from "./odd-corefiles";
import { type PublishedCluster, publishedClusters } from "./published-clusters";

function objectsOf({ clusterIP = "10.96.0.10", labels = {}, data, custom, cache }: PublishedCluster): object[] {
  const volumes: { [name: string]: string } = custom ? { "coredns-custom": "/etc/coredns/custom" } : {};
  const [daemonSet] = cache ? nodeCache("", cache.name, cache.localip) : [];
  return [
    { ...service, spec: { ...serviceSpec, clusterIPs: [clusterIP] } },
    node(),
    kubeProxy(),
    coreDns({}, { labels: { "k8s-app": "kube-dns", ...labels } }, volumes),
    configMap("coredns", data),
    ...(custom ? [configMap("coredns-custom", custom)] : []),
    ...(daemonSet && cache ? [daemonSet, configMap(cache.name, { Corefile: cache.corefile })] : []),
  ];
}

/** Asks clusters that people have published, and what `init` makes of them, the same questions. */
export function describeSameAnswers(chosen: (cluster: PublishedCluster) => boolean): void {
  describe.skipIf(whyNoCoreDNS)(`the same answers after init${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
    const docs = readFileSync("docs/from-a-cluster.md", "utf8");

    it.each(publishedClusters.filter(chosen).map((each) => [each.what, each] as const))("%s", async (what, cluster) => {
      const items = objectsOf(cluster);
      const { asked, differences } = await sameAnswers(JSON.stringify({ items }));
      const names = (isOfTTL: boolean) =>
        new Set(differences.filter((each) => each.isOfTTL === isOfTTL).map(({ name }) => name));
      expectAsDocumented(names(false), cluster.differs);
      expectAsDocumented(names(true), cluster.lasts);
      const [, , , count] = docs.split("\n").find((line) => line.startsWith(`| ${what} `))?.split("|") ?? [];
      expect(asked).toBeGreaterThanOrEqual(Number(count));
    });
  });
}

/** All names are those that docs tell of, and there are some if docs say so. */
function expectAsDocumented(names: ReadonlySet<string>, expected: RegExp | undefined): void {
  expect([...names].filter((name) => !expected?.test(name))).toEqual([]);
  expect(names.size > 0).toBe(expected !== undefined);
}

/** Corefiles that nobody has published: every answer is the same. */
export function describeOddCorefiles(): void {
  describe.skipIf(whyNoCoreDNS)("the same answers after init of odd Corefiles", () => {
    it.each(oddCorefiles.map(([what, text, files = {}]) => [what, { Corefile: text, ...files }] as const))(
      "%s",
      async (what, data) => {
        const items = objectsOf({ what, data });
        const { differences, ofCoreDNS } = await sameAnswers(JSON.stringify({ items }));
        expect([...differences, ...ofCoreDNS].filter(({ isOfTTL }) => !isOfTTL)).toEqual([]);
      },
    );
  });
}
