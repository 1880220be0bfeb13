import { expect, it } from "vitest";
import { diagnose } from "../../../src/model/doctor/diagnose";
import { parseSamples } from "../../../src/model/kubernetes/samples";
import * as edit from "./edit";
import { commands, described, found, healthy, idsOf } from "./healthy";

const is = healthy();

it("the same condition on several nodes is one finding, which looks at the first and mends all", () => {
  const repaired = [0, 3, 2, 3, 2, 4, 5, 6].map((times, i) => {
    const samples = parseSamples(`node_local_dns_watchdog_repairs_total{kind="rules"} ${times}`);
    return { name: `watchdog-${i}`, nodeName: `n-${i}`, samples };
  });
  const pods = repaired.reduce(
    (all, { name, nodeName }) =>
      edit.copied(all, "node-local-dns-watchdog-0", { metadata: { name }, spec: { nodeName } }),
    is.pods,
  );
  const metrics = new Map([...is.metrics, ...repaired.map(({ name, samples }) => [name, samples] as const)]);
  const repairs = diagnose({ ...is, pods, metrics }).filter(({ id }) => id === "rules-removed");
  expect(repairs).toMatchObject([
    {
      nodes: [1, 2, 3, 4, 5, 6, 7].map((index) => `n-${index}`),
      where: "7 nodes",
      evidence: [
        "n-1, n-2, n-3, n-4, n-5 and 2 more",
        "repaired since the watchdog's start: rules 3 times (n-1, n-3)",
        "repaired since the watchdog's start: rules 2 times (n-2, n-4)",
        "repaired since the watchdog's start: rules 4 times (n-5)",
        "repaired since the watchdog's start: rules 5 times (n-6)",
        "and 1 more like these",
      ],
    },
  ]);
  expect(commands(repairs[0])).toEqual([
    "kubectl logs watchdog-1 --tail=50 -n kube-system",
    "kubectl get pods -o wide --field-selector spec.nodeName=n-1 -n kube-system",
    expect.stringMatching(/^# on n-1, n-2, n-3, n-4, n-5 and 2 more, .*: nft monitor /),
  ]);
});

it.each([
  ['{"level":40,"kind":"link","msg":"repaired: link"}', ["rules-removed"]],
  // As after a move from node-cache, which took its link along when it ended, an hour ago.
  ['{"level":30,"msg":"watching"}', []],
])("repairs are told of while the watchdog logs them: %s", (line, ids) => {
  const change = edit.measured('repairs_total{kind="link"} 3');
  const [name = ""] = is.metrics.keys();
  expect(idsOf({ ...change, logs: new Map([[name, new Map([["watchdog", line]])]]) })).toEqual(ids);
});

it.each([
  ['local{listener="udp-10.96.0.10"} 0', ["rules-removed-now", "cache-bypassed"]],
  ['foreign_listener{listener="udp-10.96.0.10"} 1', ["rules-removed-now"]],
  ["cluster_dns_up 0", ["rules-removed-now", "cluster-dns-unreachable"]],
])("repairs that do not last come before what follows from them: %s", (line, ids) => {
  expect(idsOf(edit.measured('repairs_total{kind="rules"} 39', line))).toEqual(ids);
});

it.each([
  ["a query without an answer is an accident", '{server="10.96.0.10"} 0.875', []],
  ["two of eight are none", '{server="10.96.0.10"} 0.75', ["cluster-dns-unreachable"]],
  ["no answer at all is told of once", '{server="10.96.0.10"} 0', ["cluster-dns-unreachable"]],
  ["a family of two is a part", '{server="10.96.0.10"} 1\n{server="fd00::a"} 0', ["cluster-dns-lossy"]],
])("of the cluster DNS, %s", (_, answered, ids) => {
  const lines = answered.split("\n").map((each) => `cluster_dns_answered${each}`);
  expect(idsOf(edit.measured("cluster_dns_up 0", ...lines))).toEqual(ids);
});

it.each([
  ["TCP", ["tcp-10.96.0.10", "tcp-fd00-96--a"]],
  ["IPv6", ["udp-fd00-96--a", "tcp-fd00-96--a"]],
  ["IPv4", ["udp-10.96.0.10", "tcp-10.96.0.10"]],
])("a cache that answers at all addresses but those of %s says so, and why it was left there", (kind, bypassed) => {
  const all = ["udp-10.96.0.10", "tcp-10.96.0.10", "udp-fd00-96--a", "tcp-fd00-96--a"];
  const lines = all.flatMap((listener) => {
    const isPast = bypassed.includes(listener);
    const flips = `flips_total{listener="${listener}",to="cluster-dns",reason="${isPast ? "missed" : "refused"}"} 1`;
    return [`local{listener="${listener}"} ${isPast ? 0 : 1}`, flips];
  });
  const evidence = [
    `at ${bypassed.join(", ")}: taken out of use since the watchdog's start: missed (once)`,
    `at the others it answers: perhaps a rule of the node drops ${kind} to it, or its replies`,
  ];
  expect(found(edit.measured(...lines))).toMatchObject([{ id: "cache-bypassed", evidence }]);
});

it.each([
  { past: 61, requests: 539, ids: ["cache-often-silent"] },
  { past: 60, requests: 540, ids: [] },
  { past: 59, requests: 0, ids: [] },
])("$past queries past a cache that answers, and $requests to it: $ids", ({ past, requests, ids }) => {
  const lines = [`{kind="past-silent"} ${past}`, `{kind="requests"} ${requests}`, `{kind="replies"} ${requests}`];
  const packets = lines.map((each) => `packets_total${each}`);
  expect(idsOf(edit.measured(...packets))).toEqual(ids);
  const bypassed = edit.measured('local{listener="udp-10.96.0.10"} 0', ...packets);
  expect(idsOf(bypassed)).toEqual(["cache-bypassed"]);
});

it("a node that alone does not reach the cluster DNS is at fault, and ends with what lets replies in", () => {
  const [first = "", second = ""] = is.metrics.keys();
  const own = [...(is.metrics.get(second) ?? [])];
  const { metrics } = edit.measured("cluster_dns_up 0");
  const [finding, ...more] = diagnose({ ...is, metrics: new Map([...metrics, [second, own]]) }, described());
  expect([finding, more]).toMatchObject([{ id: "cluster-dns-unreachable", nodes: ["node-1"] }, []]);
  expect(finding?.evidence.join()).toContain("1 of 2 nodes reach it");
  expect(commands(finding).at(-1)).toMatch(/^iptables -I INPUT .* # on node-1/);
  expect(first).not.toBe(second);
});
