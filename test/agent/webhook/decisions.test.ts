import { describe, expect, it } from "vitest";
import { decisions } from "../../../src/agent/webhook/decisions";
import { formatReview, parseReview } from "../../../src/agent/webhook/review";
import type { WebhookConfig } from "../../../src/model/admission/webhook/webhook-config";
import { refuseChange } from "../../../src/model/admission/protected-objects";
import { refuseNamespace } from "../../../src/model/admission/namespaces";
import { changeRows, protection } from "../../model/admission/change-table";
import { allowed, labelled, namespaceRows } from "../../model/admission/namespace-table";
import { all, podRows } from "../../model/admission/pod-table";
import { everything, podReview, response, review } from "./reviews";

const certificates = { kind: "files", folder: "/" } as const;
const base: WebhookConfig = { version: 1, port: 1, probePort: 2, certificates, ...everything };

function ask(path: string, question: object, config = base, nodes: Parameters<typeof decisions>[1] = () => undefined) {
  const request = parseReview(JSON.stringify(question));
  const decide = decisions(config, nodes)[path];
  if (!decide) throw new Error(`nothing decides at ${path}`);
  return response(formatReview(request.uid, decide(request)));
}

describe("at /pods", () => {
  it.each(podRows)("$name", ({ pod, expected }) => {
    const { patch } = ask("/pods", podReview(pod));
    const fromNone = pod.spec.dnsPolicy === "None" ? [] : [{ op: "add", path: "/spec/dnsPolicy", value: "None" }];
    const added = expected.action === "set" && { op: "add", path: "/spec/dnsConfig", value: expected.dnsConfig };
    expect(patch).toEqual(added ? [...fromNone, added] : undefined);
  });

  it("adds options to pods of all namespaces, and leaves their policy", () => {
    const { tenancy: _tenancy, pods: _pods, ...config } = { ...base, podOptions: all };
    const added = { op: "add", path: "/spec/dnsConfig", value: { options: all.options } };
    expect(ask("/pods", podReview({ spec: {} }, "free"), config).patch).toEqual([added]);
    expect(ask("/pods", podReview({ spec: {} }, "excluded"), config).patch).toBeUndefined();
  });

  it.each(["free", "kube-system", "kube-node-lease"])("does not change pods of %s", (namespace) => {
    expect(ask("/pods", podReview({ spec: {} }, namespace))).toEqual({ uid: "uid-1", allowed: true });
  });

  it("denies what would exceed the limits, and warns of what old resolvers ignore", () => {
    const withSearches = (count: number) =>
      podReview({ spec: { dnsConfig: { searches: Array.from({ length: count }, (_, i) => `${i}.example`) } } });
    expect(ask("/pods", withSearches(29))).toMatchObject({ allowed: false, message: expect.stringContaining("33 ") });
    expect(ask("/pods", withSearches(3))).toMatchObject({ allowed: true, warnings: [expect.stringContaining("7 ")] });
  });

  it("with membership: label, at each tenant's own path", () => {
    const searches = (path: string, namespace: string) => {
      const { patch } = ask(path, podReview({ spec: {} }, namespace), { ...base, tenancy: labelled });
      return (patch as { value: { searches: string[] } }[] | undefined)?.[1]?.value.searches.join(" ");
    };
    const ofTenant = "any.baz.svc.cluster.local baz.svc.cluster.local svc.cluster.local cluster.local";
    expect(searches("/pods/baz", "any")).toBe(ofTenant);
    expect(searches("/pods", "any")).toBeUndefined();
    expect(searches("/pods", "default")).toContain("default.system.svc.cluster.local");
  });
});

it.each(changeRows)("at /protected-objects: $name", ({ change }) => {
  const { resource, namespace, operation, requester, object, oldObject } = change;
  const kind = resource === "services" ? "Service" : "ConfigMap";
  // As for a collection: without the request's own name.
  const objects = { object, oldObject, resource: { resource } };
  const question = review(kind, { operation, namespace, name: "", userInfo: requester, ...objects });
  expect(ask("/protected-objects", question).message).toBe(refuseChange(change, protection));
});

it.each(namespaceRows)("at /namespaces: $name", ({ change }) => {
  const { operation, name, labels, oldLabels, requester } = change;
  const namespace = (of: object | undefined) => (of ? { metadata: { name, labels: of } } : null);
  const objects = { object: namespace(labels), oldObject: namespace(oldLabels) };
  const question = review("Namespace", { operation, name, userInfo: requester, ...objects });
  expect(ask("/namespaces", question, { ...base, tenancy: labelled }).message).toBe(
    refuseNamespace(change, labelled, allowed),
  );
});

describe("at /placement", () => {
  const config: WebhookConfig = { ...base, placementGuard: { namespace: "kube-system", names: ["coredns"] } };
  const nodes = [{ name: "a", labels: {}, taints: [], unschedulable: false }];
  const question = (name: string, nodeSelector: object, namespace = "kube-system", old?: object) => {
    const workload = (of: object) => ({ metadata: { name }, spec: { template: { spec: { nodeSelector: of } } } });
    const objects = { object: workload(nodeSelector), oldObject: old ? workload(old) : null };
    return review("Deployment", { namespace, ...objects, operation: old ? "UPDATE" : "CREATE" });
  };

  // Which placements match: test/model/admission/placement-guard.test.ts.
  it.each([
    ["a placement that matches no node", question("coredns", { zone: "moon" }), false],
    ["another workload", question("web", { zone: "moon" }), true],
    ["another namespace", question("coredns", { zone: "moon" }, "default"), true],
    ["an update that keeps it", question("coredns", { zone: "moon" }, "kube-system", { zone: "moon" }), true],
    ["an update to it", question("coredns", { zone: "moon" }, "kube-system", {}), false],
  ])("%s", (_name, asked, isAllowed) => {
    expect(ask("/placement", asked, config, () => nodes).allowed).toBe(isAllowed);
    // Without nodes it cannot know.
    expect(ask("/placement", asked, config, () => undefined).allowed).toBe(true);
  });
});

describe("parseReview", () => {
  const reviewWith = (more: object) =>
    JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", ...more });
  it.each([
    ["no JSON", "{", /not JSON/],
    ["a list", "[]", /accepted is an AdmissionReview of admission\.k8s\.io\/v1/],
    ["null", "null", /accepted is an AdmissionReview/],
    ["another kind", JSON.stringify({ apiVersion: "v1", kind: "Pod" }), /got kind "Pod" of "v1"/],
    ["another version", JSON.stringify({ apiVersion: "admission.k8s.io/v1beta1", kind: "AdmissionReview" }), /v1beta1/],
    ["no request", reviewWith({}), /without a complete request/],
    ["half a request", reviewWith({ request: { uid: "1" } }), /without a complete request/],
  ])("refuses %s", (_name, text, message) => expect(() => parseReview(text)).toThrow(message));

  it.each([
    ["/pods", review("Service", { object: {} }), /got a Service; accepted at this path: Pod/],
    ["/pods", review("Pod", { object: null }), /object is missing/],
    ["/pods", review("Pod", { object: { spec: 1 } }), /object\.spec is missing or no object/],
    ["/protected-objects", review("ConfigMap", { operation: "DELETE" }), /oldObject is missing/],
  ])("refuses what does not belong at %s", (path, question, message) => {
    expect(() => ask(path, question)).toThrow(message);
  });
});
