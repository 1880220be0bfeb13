import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { whyNoCoreDNS } from "../../../../rig/coredns/coredns";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { sameAnswers } from "../../../../rig/same-answers/same-answers";
import { spread } from "../../../corefile-text";
import { configMap, coreDns, kubeProxy, node, nodeCache, service } from "../../../live/take-over/objects";
import { oddCorefiles } from "./odd-corefiles";
import { type PublishedCluster, publishedClusters } from "./published-clusters";

function objectsOf(cluster: PublishedCluster): readonly object[] {
  const { clusterIP = "10.96.0.10", labels = {}, data, custom, cache, beside = [], objects } = cluster;
  if (objects) return objects;
  const volumes: { [name: string]: string } = custom ? { "coredns-custom": "/etc/coredns/custom" } : {};
  const [daemonSet] = cache ? nodeCache("", cache.name, cache.localip) : [];
  const hasCilium = beside.some((each) => (each as typeof service).metadata.name === "cilium-config");
  return [
    { ...service, spec: { ...service.spec, clusterIPs: [clusterIP] } },
    node(),
    ...(hasCilium ? [] : [kubeProxy()]),
    coreDns({}, { labels: { "k8s-app": "kube-dns", ...labels } }, volumes),
    configMap("coredns", spreadAll(typeof data === "string" ? { Corefile: data } : data)),
    ...beside,
    ...(custom ? [configMap("coredns-custom", spreadAll(custom))] : []),
    ...(daemonSet && cache ? [daemonSet, configMap(cache.name, { Corefile: spread(cache.corefile) })] : []),
  ];
}

const spreadAll = (files: { readonly [file: string]: string }) =>
  Object.fromEntries(Object.entries(files).map(([file, text]) => [file, spread(text)]));

/**
 * Asks clusters that people have published, and what `init` makes of them, the same questions.
 * @param hasRows Whether each has its row in docs, with these figures and the reason for differences; `WRITE_ROWS=true`
 *   writes the figures there.
 */
export function describeSameAnswers(chosen: (cluster: PublishedCluster) => boolean, hasRows: boolean): void {
  describe.skipIf(whyNoCoreDNS)(`the same answers after init${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
    it.each(publishedClusters.filter(chosen).map((each) => [each.what, each] as const))("%s", async (what, cluster) => {
      const items = objectsOf(cluster);
      const { description, asked, differences } = await sameAnswers(JSON.stringify({ items }));
      const names = (isOfTTL: boolean) =>
        new Set(differences.filter((each) => each.isOfTTL === isOfTTL).map(({ name }) => name));
      const [others, lasting] = [names(false), names(true)];
      expectAsDocumented(others, cluster.differs);
      expectAsDocumented(lasting, cluster.lasts);
      if (!hasRows) return;
      const counts = [others, lasting].map(({ size }) => (size === 0 ? "" : String(size)));
      const figures = [what, becomes(description) || "as by default", String(asked), ...counts];
      if (process.env["WRITE_ROWS"] === "true") writeRow(figures);
      const [why = "", ...row] = rowOf(what).toReversed();
      expect(row.toReversed()).toEqual(figures);
      if (differences.length > 0) expect(why).not.toBe("");
    });
  });
}

const page = "docs/from-a-cluster.md";

/** The page's lines, and which of them is the table's row; one past its last if it has none. */
function rowIn(what: string): { lines: string[]; at: number; isKnown: boolean } {
  const lines = readFileSync(page, "utf8").split("\n");
  const heading = lines.findIndex((each) => /^\| cluster .*questions/.test(each));
  const at = lines.findIndex((each, i) => i > heading && (each === "" || each.startsWith(`| ${what} `)));
  return { lines, at, isKnown: lines[at] !== "" };
}

function rowOf(what: string): string[] {
  const { lines, at } = rowIn(what);
  return (lines[at] ?? "").split(" | ").map((cell) => cell.replace(/^\||\|$/g, "").trim());
}

function writeRow(figures: readonly string[]): void {
  const [what = ""] = figures;
  const { lines, at, isKnown } = rowIn(what);
  lines.splice(at, isKnown ? 1 : 0, `| ${[...figures, rowOf(what)[figures.length] ?? ""].join(" | ")} |`);
  writeFileSync(page, lines.join("\n"));
}

/** What every file says, and `init` says of every cluster. */
const ofEvery: readonly string[] = ["clusterDNS", "kubeProxyMode", "kubernetesVersion", "cni", "nodeLocalDNS"];

/** What stands in the cluster file beside that. */
function becomes(description: ClusterDnsProps): string {
  const { authoritativeDNS, nodeLocalDNS, ...others } = description;
  const asked = nodeLocalDNS?.askClusterDNS;
  const keys = [
    ...(authoritativeDNS?.kind === "Existing" ? ["Existing"] : []),
    ...Object.keys(others).filter((key) => !ofEvery.includes(key)),
    ...(authoritativeDNS?.autoscaler ? ["autoscaler"] : []),
    ...(nodeLocalDNS?.linkLocalAddresses ? ["linkLocalAddresses"] : []),
  ].map((key) => `\`${key}\``);
  const isText = authoritativeDNS?.corefile !== undefined || nodeLocalDNS?.corefile !== undefined;
  return [
    ...keys,
    ...(isText ? ["text"] : []),
    ...(asked === undefined ? [] : [`\`askClusterDNS\`: ${[asked].flat().join(", ")}`]),
  ].join(", ");
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
