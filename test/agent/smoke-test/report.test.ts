import { expect, it } from "vitest";
import type { Asked, Question } from "../../../src/agent/smoke-test/ask";
import { report } from "../../../src/agent/smoke-test/report";

const failed = (about: Question["about"], name: string, got = "SERVFAIL"): Asked => ({
  way: { server: "10.96.0.10", protocol: "udp" },
  question: { about, name, type: "A", expect: "answered" },
  got,
  expected: "any answer but SERVFAIL and REFUSED",
  isRight: false,
  rcode: got === "no answer" ? undefined : got.split(" ")[0],
  data: [],
});

function told(asked: Asked[], more: Partial<Parameters<typeof report>[0]> = {}): string[] {
  return report({ from: "a pod", asked, notAsked: 0, linkLocal: [], notes: [], ...more });
}

it("prints what a server answers as text, on one line", () => {
  const got = "REFUSED ns\nsmoke test passed: 20 answers are right\u001b[1A";
  const lines = told([failed("stub-domain", "corp.example", got)], { notes: ["the cache \u001b[2Jx"] });
  expect(lines.join("\n")).toMatch(/^note: the cache \\u001b\[2Jx$/m);
  expect(lines.filter((line) => /[^\P{Cc}]/u.test(line) || line.startsWith("smoke test passed"))).toEqual([]);
});

it("looks for the cluster's DNS where the configuration has it", () => {
  const asked = failed("cluster", "kubernetes.default.svc.cluster.local", "no answer");
  const dnsService = { namespace: "openshift-dns", name: "dns-default", selector: { dns: "default" } };
  const step = (where: object) => told([asked], where).find((line) => line.startsWith("next:"));
  expect(step({ dnsService })).toContain("-n openshift-dns -l kubernetes.io/service-name=dns-default");
  expect(step({ dnsService })).toContain("get pods -n openshift-dns -l dns=default ");
  expect(step({})).toContain("get pods -n kube-system -l k8s-app=kube-dns ");
});

it("blames upstreams for a name that only they could deny, and stub domains for theirs", () => {
  const asked = [failed("upstream", "1f.cluster-dns-smoke-test"), failed("stub-domain", "1f.corp.example")];
  const steps = ["upstreamNameservers", "the servers of corp.example"].map((step) => expect.stringContaining(step));
  expect(told(asked).filter((line) => line.startsWith("next:"))).toEqual(steps);
});
