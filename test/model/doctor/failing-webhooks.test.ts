import { describe, expect, it } from "vitest";
import type { Webhook } from "../../../src/model/kubernetes/kinds";
import { commands, findingsOf } from "./healthy";

describe("what would be refused from now on, by somebody's webhook", () => {
  const gone = { name: "gone", namespace: "web" };
  const rulesOf = (operation: string, resource: string, group = "") => [
    { apiGroups: [group], operations: [operation], resources: [resource] },
  ];
  const rules = rulesOf("CREATE", "pods");
  const elsewhere = { key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["kube-system"] };
  const webhook: Webhook = { name: "policy.example", clientConfig: { service: gone }, rules };
  const nowhere = "does not exist";
  const refusing = (change: Partial<Webhook>, why = nowhere, before: readonly Webhook[] = []) =>
    findingsOf({
      webhooks: [
        {
          apiVersion: "admissionregistration.k8s.io/v1",
          kind: "ValidatingWebhookConfiguration",
          metadata: { name: "somebody" },
          webhooks: [...before, { ...webhook, ...change }],
        },
      ],
      called: new Map([["web/gone", why || undefined]]),
    });

  it.each<[what: string, change: Partial<Webhook>]>([
    ["pods alone", {}],
    ["pods and what is theirs", { rules: rulesOf("CREATE", "pods/*") }],
    ["all at their creation", { rules: [{ apiGroups: ["*"], operations: ["CREATE"], resources: ["*/*"] }] }],
    ["their nodes", { rules: rulesOf("CREATE", "pods/binding"), failurePolicy: "Fail" }],
    ["namespaces by name", { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } } }],
  ])("of %s", (_, change) => {
    const [finding, ...more] = refusing(change);
    expect([finding?.id, more.map(({ id }) => id)]).toEqual(["refused-next", []]);
    expect(finding?.where).toMatch(/coredns.*node-local-dns/);
    expect(finding?.evidence.join()).toMatch(
      /somebody, webhook policy.example, .*calls Service web\/gone, which does not exist/,
    );
  });

  it.each<[what: string, change: Partial<Webhook>, why?: string]>([
    ["lets pods pass without an answer", { failurePolicy: "Ignore" }],
    ["is for other objects", { rules: rulesOf("CREATE", "deployments", "apps") }],
    ["is for changes", { rules: rulesOf("UPDATE", "pods") }],
    ["is for a part of pods", { rules: rulesOf("CREATE", "pods/exec") }],
    ["is for other namespaces", { namespaceSelector: { matchExpressions: [elsewhere] } }],
    ["is for other pods", { objectSelector: { matchLabels: { app: "shop" } } }],
    ["is called elsewhere", { clientConfig: {} }],
    ["is for objects of no namespace", { rules: rulesOf("*", "*/*").map((each) => ({ ...each, scope: "Cluster" })) }],
  ])("but not by one that %s", (_, change) => expect(refusing(change)).toEqual([]));

  it.each<[resource: string, operation: string, group: string, id: string, where: RegExp]>([
    ["replicasets", "CREATE", "apps", "refused-next", /^Deployment kube-system\/coredns$/],
    ["pods/status", "UPDATE", "", "writes-refused", /coredns.*node-local-dns/],
    ["endpointslices", "UPDATE", "discovery.k8s.io", "writes-refused", /^EndpointSlice .*kube-dns/],
    ["*", "*", "coordination.k8s.io", "writes-refused", /^Leases of nodes$/],
  ])("of %s", (resource, operation, group, id, where) => {
    expect(refusing({ rules: rulesOf(operation, resource, group) })).toMatchObject([
      { id, where: expect.stringMatching(where) },
    ]);
  });

  it("of Leases only where it looks at their namespace", () => {
    const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } };
    const all = refusing({ namespaceSelector, rules: rulesOf("*", "*", "*") });
    expect(all.map(({ id }) => id)).toEqual(["writes-refused", "refused-next"]);
    expect(all[0]?.where).not.toContain("Leases");
  });

  it.each([{ url: "https://policy.example" }, { service: { name: "there", namespace: "web" } }])(
    "of one at %j",
    (at) => {
      const [finding] = refusing({ clientConfig: { ...at, caBundle: "bm8=" } });
      expect(finding?.id).toBe("refused-next");
      expect(finding?.evidence[0]).toMatch(
        /calls (https:|Service web.there).*, and its caBundle has no certificate that/,
      );
      expect(refusing({ clientConfig: { ...at, caBundle: "" } })).toEqual([]);
    },
  );

  it("but not by one that answers", () => expect(refusing({}, "")).toEqual([]));

  it("the command that mends is of that webhook alone", () => {
    const [finding] = refusing({}, nowhere, [{ ...webhook, name: "other.example", failurePolicy: "Ignore" }]);
    const test = { op: "test", path: "/webhooks/1/name", value: webhook.name };
    const patch = JSON.stringify([test, { op: "add", path: "/webhooks/1/failurePolicy", value: "Ignore" }]);
    expect(commands(finding).at(-1)).toContain(
      `patch validatingwebhookconfiguration somebody --type=json -p '${patch}'`,
    );
  });
});
