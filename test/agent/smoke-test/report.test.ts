import { expect, it } from "vitest";
import type { Asked, Question } from "../../../src/agent/smoke-test/ask";
import { report } from "../../../src/agent/smoke-test/report";

it("prints what a server answers as text, on one line", () => {
  const asked: Asked = {
    way: { server: "10.96.0.10", protocol: "udp" },
    question: { about: "stub-domain", name: "corp.example", type: "SOA", expect: "answered" },
    got: "REFUSED ns\nsmoke test passed: 20 answers are right\u001b[1A",
    expected: "any answer but SERVFAIL and REFUSED",
    isRight: false,
    isAnswered: true,
    data: [],
  };
  const lines = report({ from: "a pod", asked: [asked], notAsked: 0, linkLocal: [], notes: ["the cache \u001b[2Jx"] });
  expect(lines.join("\n")).toMatch(/^note: the cache \\u001b\[2Jx$/m);
  expect(lines.filter((line) => /[^\P{Cc}]/u.test(line) || line.startsWith("smoke test passed"))).toEqual([]);
});

it("looks for the cluster's DNS where the configuration has it", () => {
  const asked: Asked = {
    way: { server: "172.30.0.10", protocol: "udp" },
    question: { about: "cluster", name: "kubernetes.default.svc.cluster.local", type: "A", expect: "records" },
    got: "no answer",
    expected: "records",
    isRight: false,
    isAnswered: false,
    data: [],
  };
  const dnsService = { namespace: "openshift-dns", name: "dns-default", selector: { dns: "default" } };
  const step = (where: object) =>
    report({ from: "a pod", asked: [asked], notAsked: 0, linkLocal: [], notes: [], ...where }).find((line) =>
      line.startsWith("next:"),
    );
  expect(step({ dnsService })).toContain("-n openshift-dns -l kubernetes.io/service-name=dns-default");
  expect(step({ dnsService })).toContain("get pods -n openshift-dns -l dns=default ");
  expect(step({})).toContain("get pods -n kube-system -l k8s-app=kube-dns ");
});

it("blames upstreams for a name that only they could deny, and stub domains for theirs", () => {
  const failed = (about: Question["about"], name: string): Asked => ({
    way: { server: "10.96.0.10", protocol: "udp" },
    question: { about, name, type: "A", expect: "answered" },
    got: "SERVFAIL",
    expected: "any answer but SERVFAIL and REFUSED",
    isRight: false,
    isAnswered: true,
    data: [],
  });
  const asked = [failed("upstream", "1f.cluster-dns-smoke-test"), failed("stub-domain", "1f.corp.example")];
  const lines = report({ from: "a pod", asked, notAsked: 0, linkLocal: [], notes: [] });
  expect(lines.filter((line) => line.startsWith("next:"))).toEqual([
    expect.stringContaining("upstreamNameservers"),
    expect.stringContaining("the servers of corp.example"),
  ]);
});
