import { describe, expect, it } from "vitest";
import { diagnose } from "../../../src/model/doctor/diagnose";
import { listed, type Page, type Unread } from "../../../src/model/running/cluster-state";
import * as edit from "./edit";
import { commands, described, found, healthy, idsOf, props } from "./healthy";

const is = healthy();
const what = "it";
const path = "/path";
const why = 'services is forbidden: User "joe" cannot list resource "services"';

it.each(["services", "endpointslices", "pods", "deployments", "daemonsets"])(
  "is an error of %s, without which nothing can be said",
  (resource) => {
    expect(found({ unread: [{ what, why, path, resource }] })).toMatchObject([{ id: "unread", where: what }]);
  },
);

it("is a warning of all else", () => {
  const page = { kind: "kubelet", name: "node-1", node: "node-1" } as Page;
  const resource = { what, why, path, resource: "nodes" };
  expect(idsOf({ unread: [{ what, why, path, page, status: 403 }, resource] })).toEqual(["unread-aside"]);
});

it("is an error of a kubelet that does not answer, once, with all that is read through it", () => {
  const page = { kind: "kubelet", name: "node-2", node: "node-2" } as Page;
  const unread: Unread[] = [
    { what, why, path, page, status: 503 },
    { what, why, path, page: { kind: "log", name: "coredns-1", node: "node-2" } as Page, status: 500 },
    { what, why, path, page: { kind: "metrics", name: "coredns-0", node: "node-1" } as Page, status: 503 },
  ];
  const [silent, aside, ...more] = diagnose({ ...is, unread }, described());
  expect(silent).toMatchObject({ id: "kubelet-silent", nodes: ["node-2"] });
  expect(aside).toMatchObject({ id: "forwards-unread", nodes: ["node-1"] });
  expect(more).toEqual([]);
});

it("says of kubelets like which none answers how many were asked", () => {
  const unread = ["node-1", "node-2"].map((name, i): Unread => {
    const page = { kind: "kubelet", name, node: name } as Page;
    return { what, why: `${i}`, path, page, ...(i > 0 && { wasAsked: false }) };
  });
  const [silent] = diagnose({ ...is, unread }, described());
  expect(silent).toMatchObject({ id: "kubelet-silent", nodes: ["node-1", "node-2"] });
  expect(silent?.evidence.slice(1, 3)).toEqual(["0", expect.stringMatching(/^1 /)]);
});

it.each(["remote error: tls: internal error", "tls: failed to verify certificate: x509: certificate has expired"])(
  "is no silence of a kubelet that answers with a certificate nobody trusts: %s",
  (told) => {
    const page = { kind: "kubelet", name: "node-2", node: "node-2" } as Page;
    const log = { kind: "log", name: "coredns-1", node: "node-2" } as Page;
    const unread = [page, log].map((each) => ({ what, why: `error: ${told}`, path, page: each, status: 503 }));
    const all = diagnose({ ...is, unread }, described());
    expect(all).toMatchObject([{ id: "unread-aside", nodes: ["node-2"] }]);
    expect(commands(all[0]).slice(1)).toEqual([
      expect.stringMatching(/^kubectl get certificatesigningrequests /),
      expect.stringMatching(/^openssl x509 .* # on node-2/),
    ]);
  },
);

it("is taken for nothing else", () => {
  const lists = [...Object.keys(listed), "proxyConfigurations"];
  const nothing = Object.fromEntries(lists.map((list) => [list, undefined]));
  const unread = [{ what, why, path, resource: "services" }];
  const [first, ...more] = diagnose({ ...is, ...nothing, asked: new Map(), unread }, described());
  expect([first, more]).toMatchObject([{ id: "unread", evidence: [why] }, []]);
  expect(commands(first)).toEqual(["kubectl get --raw /path --request-timeout=5s"]);
});

it.each([
  ["expected of pods that policies shut off from the API server", true, 503, "webhook", "unread-as-expected"],
  ["a warning without policies", false, 503, "webhook", "unread-aside"],
  ["a warning if only the webhook has a policy, which lets everybody read", undefined, 503, "webhook", "unread-aside"],
  ["a warning if something answers", true, 404, "webhook", "unread-aside"],
  ["a warning of a watchdog that answers", true, 404, "watchdog", "unread-aside"],
])("is %s", (_, networkPolicies, status, app, id) => {
  const admission = { allowedUsers: ["argo"], placementGuard: true };
  const from = described({ ...props, admission, ...(networkPolicies !== undefined && { networkPolicies }) });
  const [ofApp] = healthy(from).pods.filter(({ metadata }) => metadata.name.includes(app));
  const name = ofApp?.metadata.name ?? "";
  const page = { kind: "metrics", name, port: 8080 } as Page;
  const findings = diagnose({ ...healthy(from), unread: [{ what, why, path, status, page }] }, from);
  const finding = findings.find(({ where }) => where === what);
  expect(finding?.id).toBe(id);
  const forward = `kubectl port-forward ${name} 8080 -n kube-system  # then: curl -s http://127.0.0.1:8080/metrics`;
  expect(commands(finding)).toEqual([
    id === "unread-as-expected" ? forward : "kubectl get --raw /path --request-timeout=5s",
  ]);
});

it("of watchdogs that hang is a finding, with what has their port, and ends with what starts one anew", () => {
  // On the host's network, no policy is in force.
  const from = described({ ...props, networkPolicies: true });
  const state = healthy(from);
  const hung = state.pods.filter(({ metadata }) => metadata.name.startsWith("node-local-dns-watchdog-"));
  const unread = hung.map(({ metadata: { name } }) => {
    const page = { kind: "metrics", name, port: 9254 } as Page;
    return { what, why: "no answer within 5 s", path, page };
  });
  const [first, ...more] = diagnose({ ...state, unread: unread.slice(0, 1) }, from);
  expect([first, more]).toMatchObject([{ id: "watchdog-silent", nodes: ["node-1"] }, []]);
  expect(commands(first).map((each) => each.split("  #")[0])).toEqual([
    "kubectl get --raw /path --request-timeout=5s",
    "kubectl logs node-local-dns-watchdog-0 --tail=50 -n kube-system",
    "ss -lnp sport '=' :9254",
    "kubectl delete pod node-local-dns-watchdog-0 -n kube-system",
  ]);
  const [all] = diagnose({ ...state, metrics: new Map(), unread }, from);
  expect(all?.evidence.join()).toContain("a firewall");
  expect(commands(all).filter((each) => each.startsWith("kubectl delete pod"))).toHaveLength(hung.length);
});

describe("of pods that their kubelet finds ready", () => {
  const admission = { allowedUsers: ["argo"], placementGuard: true };
  const from = described({ ...props, admission });
  const state = healthy(from);
  const page = { kind: "metrics", name: "cluster-dns-webhook-0", node: "node-1", port: 8080 } as Page;
  const kubelet = { kind: "kubelet", name: "node-1", node: "node-1" } as Page;
  const lost = (change: Partial<Unread> = {}) => [{ what, why: "no answer within 5 s", path, page, ...change }];
  const read = new Map([...state.metrics, ["cluster-dns-webhook-1", []]]);
  const ids = (given: object) =>
    diagnose({ ...state, metrics: read, unread: lost(), ...given }, from).map(({ id }) => id);

  it("is a node that does not forward, if such pods of another answer", () => {
    // A connection to CoreDNS there may be an open one.
    const forwarded = new Map([["coredns-0", []]]);
    const all = diagnose({ ...state, metrics: read, forwarded, unread: lost() }, from);
    const ofNode = all.find(({ id }) => id === "pods-unreached");
    expect(ofNode).toMatchObject({ severity: "error", nodes: ["node-1"] });
    expect(commands(ofNode).at(-1)).toMatch(/^iptables -P FORWARD ACCEPT/);
  });

  it("is all nodes, if the API server reaches none whose webhook it calls", () => {
    const other = { ...page, name: "cluster-dns-webhook-1" };
    const all = diagnose({ ...state, unread: [...lost(), ...lost({ page: other })] }, from);
    const ofNodes = all.find(({ id }) => id === "pods-unreached");
    expect(ofNodes?.nodes).toEqual(["node-1", "node-2"]);
    expect(commands(ofNodes).at(-1)).toMatch(/ # on node-1, node-2, /);
  });

  it.each<[string, object]>([
    ["none elsewhere answers", { metrics: state.metrics }],
    ["it answers", { unread: lost({ status: 404 }) }],
    ["a policy may keep the API server from it", { unread: lost({ page: { ...page, name: "coredns-0" } }) }],
    ["its kubelet does not answer either", { unread: [...lost(), ...lost({ page: kubelet })] }],
    ["no pod of the cluster DNS is there", edit.lacking("pods", "coredns-0", from)],
  ])("but not if %s", (_, given) => expect(ids(given)).not.toContain("pods-unreached"));
});
