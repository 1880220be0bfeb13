import { expect, it } from "vitest";
import { diagnose } from "../../../src/model/doctor/diagnose";
import { printSuggestion } from "../../../src/model/doctor/suggestions";
import { fullGitOps } from "../../../src/model/full-props/fill-in";
import type { FluxOptions } from "../../../src/model/props/gitops";
import type { Event } from "../../../src/model/kubernetes/kinds";
import * as edit from "./edit";
import { commands, described, event, findingsOf, healthy, pod, props } from "./healthy";

const from = described({ ...props, smokeTest: true });
const is = healthy(from);
const [first] = is.jobs ?? [];
const name = first?.metadata.name ?? "";
const failed = (reason: string, metadata: object = {}) => {
  const conditions = [{ type: "Failed", status: "True", reason, message: "Job has failed" }];
  return edit.changing("jobs", name, { metadata, status: { conditions } }, from);
};

it("a smoke test that failed, with the end of its report and what runs it again", () => {
  const report = ["failed: 10.96.0.10 udp A a: got SERVFAIL", "next: do this", "smoke test failed: 1 of 20"];
  const terminated = { message: report.join("\n"), exitCode: 1 };
  const test = {
    ...pod(`${name}-x`, "kube-system", { nodeName: "node-2" }, { labels: { "job-name": name } }),
    status: { phase: "Failed", containerStatuses: [{ name: "smoke-test", state: { terminated } }] },
  };
  const failing = { ...failed("BackoffLimitExceeded"), ...edit.adding("pods", [test], from) };
  const [finding, ...all] = findingsOf(failing, from);
  const where = `Job kube-system/${name} on node-2`;
  expect([finding, all]).toMatchObject([{ id: "smoke-test-failed", where, evidence: report }, []]);
  expect(commands(finding)).toEqual([
    `kubectl describe job ${name} -n kube-system`,
    "kubectl delete job -l k8s-app=cluster-dns-smoke-test -n kube-system",
    "kubectl apply --server-side -k dist/prod/smoke-test",
  ]);
});

it("a smoke test that did not end in time, also of a cluster without a description", () => {
  const state = { ...is, ...failed("DeadlineExceeded") };
  for (const findings of [diagnose(state, from), diagnose(state)])
    expect(findings).toMatchObject([
      { id: "smoke-test-overdue", evidence: [expect.stringMatching(/smokeTest\.timeout and smokeTest/)] },
    ]);
});

it("a smoke test that did not end in time, with the last event of this run that says why", () => {
  const jobs = failed("DeadlineExceeded", { creationTimestamp: "2026-10-31T23:58:00Z" });
  const cause = event("Job", name, "FailedCreate", "no room", 58);
  const others = [
    event("Job", name, "DeadlineExceeded", "", 59),
    event("Pod", "coredns-x", "FailedScheduling", "", 59),
    event("Pod", `${name}-old`, "FailedScheduling", "", 57),
  ];
  const evidence = (events: Event[]) => findingsOf({ ...jobs, events }, from)[0]?.evidence;
  expect(evidence([...others, cause])).toEqual(["FailedCreate: no room", expect.stringContaining("is not the cause")]);
  expect(evidence(others)).toHaveLength(1);
});

it("a smoke test is run again by the Flux that applies it", () => {
  const last = (flux: FluxOptions) => {
    const said = { ...from.cluster.said, gitops: fullGitOps({ flux }) };
    const gitops = { ...from, cluster: { ...from.cluster, said } };
    return findingsOf(failed("BackoffLimitExceeded"), gitops)[0]?.next.at(-1) ?? "";
  };
  const reconcile = "reconcile kustomization cluster-dns-smoke-test -n";
  expect(printSuggestion(last({}), undefined)).toBe(`flux ${reconcile} flux-system`);
  expect(printSuggestion(last({ namespace: "delivery" }), "prod")).toBe(`flux --context prod ${reconcile} delivery`);
});

it("a smoke test that the cluster file no longer has is deleted, not run again", () => {
  const [finding] = findingsOf(failed("BackoffLimitExceeded"));
  expect(commands(finding).at(-1)).toBe("kubectl delete job -l k8s-app=cluster-dns-smoke-test -n kube-system");
});

it("a smoke test of an earlier rollout says nothing about this one", () => {
  const { jobs } = failed("BackoffLimitExceeded", { name: "old" });
  expect(findingsOf({ jobs: [...is.jobs, ...(jobs ?? [])] }, from)).toEqual([]);
});
