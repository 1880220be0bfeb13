import { expect, it } from "vitest";
import { diagnose } from "../../../src/model/doctor/diagnose";
import { described, healthy } from "./healthy";

it("a cluster to which nothing was applied is told so once for each severity", () => {
  const from = described();
  const nothing = { workloads: [], services: [], configMaps: [], pods: [], endpointSlices: [] };
  const missing = diagnose({ ...healthy(from), ...nothing }, from).filter(({ title }) => /missing/.test(title));
  expect(missing.map(({ severity, title, where }) => [severity, title, where])).toEqual([
    ["error", "are missing", "8 objects"],
    ["warning", "is missing", "Service kube-system/node-local-dns"],
  ]);
  expect(missing[0]?.evidence[0]).toMatch(/, Deployment kube-system\/coredns, .*Service kube-system\/kube-dns$/);
  expect(missing[0]?.next).toEqual([
    "npx cdk8s-cluster-dns synth prod",
    "npx cdk8s-cluster-dns diff --live prod",
    "kubectl apply --server-side --force-conflicts -k dist/prod",
  ]);
});
