import { expect, it } from "vitest";
import { diagnose } from "../../../src/model/doctor/diagnose";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { described, found, healthy, props, replaced } from "./healthy";

const ofCoreDNS = (lines: readonly string[]) =>
  found({ logs: new Map([["coredns-0", new Map([["coredns", lines.join("\n")]])]]) });

const forbidden =
  'E1101 reflector.go:204] "Failed to watch" err="failed to list *v1.Service: services is forbidden: User \\"system:serviceaccount:kube-system:coredns\\" cannot list resource \\"services\\" in API group \\"\\" at the cluster scope"';

// As CoreDNS 1.14 and client-go write them.
it.each([
  [
    "error",
    "CoreDNS forwards to itself, and ends because of it",
    '[FATAL] plugin/loop: Loop (127.0.0.1:55953 -> :53) detected for zone ".", see https://coredns.io/plugins/loop#troubleshooting. Query: "HINFO 4547991504243258144."',
  ],
  ["error", "CoreDNS may not read the cluster's objects (RBAC)", forbidden],
  [
    "error",
    "CoreDNS cannot read its Corefile",
    "plugin/forward: /etc/coredns/Corefile:12 - Error during parsing: Wrong argument count",
  ],
  ["error", "another program has the port", "Listen: listen tcp 169.254.20.10:53: bind: address already in use"],
  [
    "error",
    "CoreDNS has not read the cluster's objects from the API server",
    'E1101 reflector.go:204] "Failed to watch" err="failed to list *v1.Service: Get \\"https://10.96.0.1:443/api/v1/services\\": dial tcp 10.96.0.1:443: connect: no route to host"',
  ],
  [
    "warning",
    "the servers for names outside do not answer",
    "[ERROR] plugin/errors: 2 6347.5123. HINFO: read udp 10.244.0.2:43210->192.0.2.53:53: i/o timeout",
  ],
  [
    "warning",
    "a server that queries are forwarded to does not answer",
    "[ERROR] plugin/errors: 2 example.com. A: read udp 10.244.0.2:43210->192.0.2.53:53: read: connection refused",
  ],
  [
    "warning",
    "a server that queries are forwarded to does not answer",
    '[ERROR] plugin/errors: 2 example.com. A: Post "https://192.0.2.53/dns-query": dial tcp 192.0.2.53:443: no route to host',
  ],
  [
    "warning",
    "CoreDNS panics over queries, and answers them with SERVFAIL",
    '[ERROR] Recovered from panic in server: "dns://:53" runtime error: index out of range [0] with length 0',
  ],
])("%s: %s", (severity, title, line) => {
  expect(ofCoreDNS(['[INFO] plugin/ready: Still waiting on: "kubernetes"', line, line])).toEqual([
    {
      severity,
      title,
      where: "log of pod kube-system/coredns-0 on node-1",
      evidence: [`2 times in 10 minutes, last: ${line}`],
    },
  ]);
});

it.each<[where: string, ClusterDnsProps, last: RegExp]>([
  ["the nodes' resolv.conf", props, /^cat \/etc\/resolv\.conf /],
  [
    "the cluster file",
    { ...props, upstreamNameservers: ["192.0.2.53"], stubDomains: { "corp.example": ["192.0.2.54"] } },
    /upstreamNameservers \(192\.0\.2\.53\); stubDomains corp\.example \(192\.0\.2\.54\)$/,
  ],
])("servers that do not answer are looked for in %s", (_, given, last) => {
  const from = described(given);
  const line = "[ERROR] plugin/errors: 2 example.com. A: read udp 10.244.0.2:43210->192.0.2.53:53: i/o timeout";
  const logs = new Map([["coredns-0", new Map([["coredns", line]])]]);
  const [finding] = diagnose({ ...healthy(from), logs }, from);
  expect(finding?.next.at(-1)).toMatch(last);
  expect(finding?.next).toHaveLength(2);
});

it.each(["[FATAL].evil.example.", "panic.example."])("a pod cannot say something else by asking for %s", (name) => {
  const failed = `[ERROR] plugin/errors: 2 ${name} A: read udp 10.244.0.2:1->192.0.2.53:53: i/o timeout`;
  const queried = `[INFO] 10.244.0.9:40312 - 7 "A IN ${name} udp 40 false 512" NOERROR qr,aa,rd 106 0.0001s`;
  expect(ofCoreDNS([failed, queried]).map(({ title }) => title)).toEqual([
    "a server that queries are forwarded to does not answer",
  ]);
});

it("a name that nobody answers for, in case all lines are of one", () => {
  const line = (name: string) =>
    `[ERROR] plugin/errors: 2 ${name} A: read udp 10.244.0.2:43210->192.0.2.53:53: i/o timeout`;
  expect(ofCoreDNS([line("a.broken.example."), line("A.broken.example.")])).toMatchObject([
    { evidence: [expect.any(String), expect.stringMatching(/^all for one name, a\.broken\.example\.: /)] },
  ]);
  expect(ofCoreDNS([line("a.broken.example."), line("b.example.")])).toMatchObject([
    { evidence: [expect.stringMatching(/^2 times/)] },
  ]);
});

it.each(["[WARNING] plugin/kubernetes: starting server with unsynced Kubernetes API", forbidden])(
  "a pod that has become ready since has read the objects: %s",
  (text) => {
    const is = healthy();
    const readyAt = (lastTransitionTime: string) =>
      replaced(is.pods, "coredns-0", (pod) => ({
        ...pod,
        status: { ...pod.status, conditions: [{ type: "Ready", status: "True", lastTransitionTime }] },
      }));
    const logs = new Map([["coredns-0", new Map([["coredns", `2026-10-31T23:52:03.2Z ${text}`]])]]);
    expect(found({ logs, pods: readyAt("2026-10-31T23:52:09Z") })).toEqual([]);
    expect(found({ logs, pods: readyAt("2026-10-31T23:50:00Z") })).toMatchObject([{ severity: "error" }]);
  },
);

it("of a container's last run only what ended it", () => {
  const lines = [
    "[ERROR] plugin/errors: 2 a. A: read udp 10.244.0.2:1->192.0.2.53:53: i/o timeout",
    "[WARNING] plugin/kubernetes: starting server with unsynced Kubernetes API",
    "panic: no",
  ];
  const logs = new Map([["coredns-0", new Map([["coredns --previous", lines.join("\n")]])]]);
  const from = described(props);
  expect(diagnose({ ...healthy(from), logs }, from)).toMatchObject([
    {
      title: "CoreDNS ended with a fatal error",
      next: [expect.stringMatching(/^kubectl logs coredns-0 -n kube-system -c coredns --previous --since/)],
    },
  ]);
});

it("a fatal error of CoreDNS", () => {
  expect(ofCoreDNS(["[FATAL] plugin/ready: no"])).toMatchObject([
    { severity: "error", title: "CoreDNS ended with a fatal error" },
  ]);
});

it("a watch that ends now and then is nothing to worry about", () => {
  const line = "W1101 reflector.go:561] watch of *v1.Service ended with: too old resource version";
  expect(ofCoreDNS([line, line])).toEqual([]);
  expect(ofCoreDNS([line, line, line, line])).toMatchObject([
    { severity: "warning", title: "watches of the API server break" },
  ]);
});

it("watches that packets were lost of, in the log of one pod, with its node and the last time", () => {
  const said = (time: string) => `${time} [INFO] plugin/kubernetes: Warning: watch ended with error`;
  const [early, late] = [said("2026-10-31T23:52:00.1Z"), said("2026-10-31T23:52:03.2+00:00")];
  const title = "CoreDNS lost its watches of the API server";
  const of = (lines: readonly string[]) => new Map([["coredns", lines.join("\n")]]);
  // Once is not repeated, in neither of two pods.
  expect(
    found({
      logs: new Map([
        ["coredns-0", of([early])],
        ["coredns-1", of([early])],
      ]),
    }),
  ).toEqual([]);
  expect(
    found({
      logs: new Map([
        ["coredns-0", of([early])],
        ["coredns-1", of([late, late])],
      ]),
    }),
  ).toMatchObject([
    {
      severity: "warning",
      title,
      where: "log of pod kube-system/coredns-1 on node-2",
      evidence: [
        "2 times in 10 minutes, last at 2026-10-31T23:52:03Z, 7 min ago: [INFO] plugin/kubernetes: Warning: watch ended with error",
        expect.any(String),
      ],
    },
  ]);
});

it("a count that the number of lines has cut is the least", () => {
  const line = "[ERROR] plugin/errors: 2 example.com. A: read udp 10.244.0.2:43210->192.0.2.53:53: connection refused";
  const [finding] = ofCoreDNS(Array.from({ length: 1000 }, () => line));
  expect(finding?.evidence).toEqual([`at least 1000 times in 10 minutes, last: ${line}`]);
});

it.each([
  ["nftables" as const, "dial tcp 169.254.20.12:53: i/o timeout"],
  ["nftables" as const, "read udp 169.254.20.12:52613->169.254.20.12:53: i/o timeout"],
  ["iptables" as const, "read udp 10.0.0.1:52613->10.96.0.10:53: read: connection refused"],
])("a cache that the cluster DNS does not answer, in mode %s: %s", (kubeProxyMode, why) => {
  const packetFilter = kubeProxyMode;
  const from = described({ ...props, kubeProxyMode, nodeLocalDNS: { packetFilter } });
  const line = `[ERROR] plugin/errors: 2 a.kube-system.svc.cluster.local. A: ${why}`;
  const logs = new Map([["node-local-dns-0", new Map([["node-cache", line]])]]);
  const [finding, ...more] = diagnose({ ...healthy(from), logs }, from);
  expect([finding, more]).toMatchObject([
    {
      severity: "warning",
      title: "the cache does not get answers from the cluster DNS",
      where: "log of pod kube-system/node-local-dns-0 on node-1",
    },
    [],
  ]);
  const commands = finding?.next.join("\n");
  expect(commands).toContain("/api/v1/nodes/http:node-1:10256/proxy/healthz");
  expect(commands).not.toContain("resolv.conf");
});
