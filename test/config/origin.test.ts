import { expect, it } from "vitest";
import { originOf } from "../../src/config/origin";
import { parseYaml } from "../../src/config/parse-yaml";

const files = [
  parseYaml("eu.yaml", "clusterDNS: [10.96.0.10]\nlabels:\n  region: eu\nnodeLocalDNS: {cache: {serveStale: 1h}}\n"),
  parseYaml(
    "_defaults.yaml",
    "# shared\nlabels: {team: network, region: none}\nnodeLocalDNS:\n  cache: {serveStale: {duration: 1h, timeout: 2s}}\n",
  ),
];

// [path, value in effect, where it is written]
it.each<[(string | number)[], unknown, string | undefined]>([
  [["clusterDNS"], ["10.96.0.10"], "eu.yaml:1:1"],
  [["labels", "region"], "eu", "eu.yaml:3:3"],
  [["labels", "team"], "network", "_defaults.yaml:2:10"],
  [["cni"], "other", undefined],
  [["nodeLocalDNS", "engine"], "coredns", undefined],
  // The short form hides what the defaults file says.
  [["nodeLocalDNS", "cache", "serveStale", "duration"], "1h", "eu.yaml:4:24"],
  [["nodeLocalDNS", "cache", "serveStale", "timeout"], "1s", undefined],
])("%j is written at %s", (path, value, expected) => {
  const origin = originOf(files, path, value);
  expect(origin && `${origin.file}:${origin.position.line}:${origin.position.column}`).toBe(expected);
});
