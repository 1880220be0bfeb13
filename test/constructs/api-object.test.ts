import { ApiObject, Chart, JsonPatch, Testing } from "cdk8s";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { ClusterDns, type ClusterDnsProps } from "../../src";
import { cached } from "../cached";
import { root } from "../repository";

it("an object is in a chart once: the second apply would overwrite the first", () => {
  const chart = new Chart(Testing.app(), "chart");
  new ClusterDns(chart, "a", cached);
  expect(() => new ClusterDns(chart, "b", cached)).toThrow(
    "chart/b/authoritative-dns adds v1 ServiceAccount kube-system/coredns, which chart/a/authoritative-dns already added; keep one of the two in a chart",
  );
  expect(() => new ClusterDns(new Chart(Testing.app(), "another"), "b", cached)).not.toThrow();
});

const hashed = /(ConfigMap coredns|Job cluster-dns-smoke-test)-\w+ has the hash of its contents in its name/;

it.each<[of: "configMap" | "job", path: string, value: unknown, refusal: RegExp | undefined]>([
  ["configMap", "/metadata/labels/owner", "platform", undefined],
  ["configMap", "/data/Corefile", ". {\n  whoami\n}\n", hashed],
  ["configMap", "/data/other", "a", hashed],
  ["configMap", "/binaryData", { other: "YQ==" }, hashed],
  ["configMap", "/immutable", false, hashed],
  ["configMap", "/metadata/name", "coredns", hashed],
  ["configMap", "/metadata/namespace", "dns", hashed],
  ["job", "/metadata/annotations", { owner: "platform" }, undefined],
  ["job", "/spec/ttlSecondsAfterFinished", 3600, undefined],
  ["job", "/spec/template/spec/priorityClassName", "platform", hashed],
  ["job", "/spec/template/metadata/labels/owner", "platform", hashed],
  ["job", "/spec/completions", 2, hashed],
  ["job", "/metadata/name", "smoke-test", hashed],
])("named after a hash of its contents: %s with a patch of %s", (of, path, value, refusal) => {
  const app = Testing.app();
  const dns = new ClusterDns(new Chart(app, "chart"), "dns", { ...cached, smokeTest: true });
  const object = of === "job" ? dns.smokeTest?.jobs[0] : dns.authoritativeDns?.configMap;
  object?.addJsonPatch(JsonPatch.add(path, value));
  if (refusal) expect(() => app.synth()).toThrow(refusal);
  else expect(() => app.synth()).not.toThrow();
});

const folder = join(root, "clusters");
const files = readdirSync(folder).filter((file) => file.endsWith(".yaml"));

it.each(files)("each object of %s is a field of its construct, for patches", (file) => {
  const props = parse(readFileSync(join(folder, file), "utf8")) as ClusterDnsProps;
  const dns = new ClusterDns(new Chart(Testing.app(), "chart"), "dns", props);
  const inner = dns.node.findAll().filter((construct) => construct !== dns);
  const hidden = inner.filter((construct) => {
    const fields: unknown[] = Object.values(construct.node.scope ?? {});
    // Objects may be in a list.
    return !(ApiObject.isApiObject(construct) ? fields.flat() : fields).includes(construct);
  });
  expect(hidden.map(({ node }) => node.path)).toEqual([]);
});
