import { describe, expect, it } from "vitest";
import { grouped } from "../../../src/model/syntax/grouped";
import { knownComplaints } from "../../../src/model/doctor/complaints";
import { dense } from "../../../src/model/syntax/sparse";
import { Patient } from "../../../src/model/doctor/patient";
import { findings } from "../../../src/model/doctor/findings";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import * as edit from "./edit";
import { commands, described, findingsOf, found, healthy, idsOf, props } from "./healthy";

const is = healthy();
const twice = (line: string) => `${line}\n${line}`;
const ofCoreDNS = (lines: readonly string[]) => found(edit.logged(lines.join("\n")));
const failed = (why: string, name = "example.com.", type = "A") =>
  `[ERROR] plugin/errors: 2 ${name} ${type}: read udp 10.244.0.2:43210->192.0.2.53:53: ${why}`;
const forbidden =
  'E1101 reflector.go:204] "Failed to watch" err="failed to list *v1.Service: services is forbidden: User \\"system:serviceaccount:kube-system:coredns\\" cannot list resource \\"services\\" in API group \\"\\" at the cluster scope"';

// As CoreDNS 1.14 and client-go write them.
it.each([
  [
    "forwards-to-itself",
    '[FATAL] plugin/loop: Loop (127.0.0.1:55953 -> :53) detected for zone ".", see https://coredns.io/plugins/loop#troubleshooting. Query: "HINFO 4547991504243258144."',
  ],
  ["rights-refused", forbidden],
  ["corefile-refused", "plugin/forward: /etc/coredns/Corefile:12 - Error during parsing: Wrong argument count"],
  ["corefile-refused", "plugin/cache: this plugin can only be used once per Server Block"],
  ["corefile-refused", 'plugin/cache: strconv.Atoi: parsing "30%": invalid syntax'],
  ["corefile-refused", "loading Caddyfile via flag: open /etc/coredns/Corefile: no such file or directory"],
  ["corefile-refused", "cannot serve dns://.:53 - it is already defined"],
  ["resolver-unusable", "plugin/forward: no valid upstream addresses found"],
  ["port-taken", "Listen: listen tcp 169.254.20.10:53: bind: address already in use"],
  ["node-firewall", failed("write: operation not permitted")],
  ["kernel-exhausted", failed("dial tcp 169.254.20.12:53: connect: cannot assign requested address")],
  ["kernel-exhausted", failed("dial udp 192.0.2.1:53: connect: resource temporarily unavailable")],
  ["upstream-silent", failed("dial udp [2001:db8::53]:53: connect: cannot assign requested address")],
  ["kernel-exhausted", failed("dial udp 192.0.2.1:53: socket: too many open files")],
  [
    "api-unread",
    'E1101 reflector.go:204] "Failed to watch" err="failed to list *v1.Service: Get \\"https://10.96.0.1:443/api/v1/services\\": dial tcp 10.96.0.1:443: connect: no route to host"',
  ],
  ["upstream-silent", failed("i/o timeout", "6347.5123.", "HINFO")],
  ["upstream-silent", failed("read: connection refused")],
  [
    "upstream-silent",
    '[ERROR] plugin/errors: 2 a. A: Post "https://192.0.2.53/dns-query": dial tcp 192.0.2.53:443: no route to host',
  ],
  ["upstream-silent", failed("tls: first record does not look like a TLS handshake")],
  ["queries-pile-up", "[ERROR] plugin/errors: 2 a. A: concurrent queries exceeded maximum 1000"],
  ["panics", '[ERROR] Recovered from panic in server: "dns://:53" runtime error: index out of range [0] with length 0'],
  ["fatal-error", "[FATAL] plugin/ready: no"],
])("%s: %s", (id, line) => {
  expect(ofCoreDNS(['[INFO] plugin/ready: Still waiting on: "kubernetes"', line, line])).toEqual([
    { id, where: "log of pod kube-system/coredns-0 on node-1", evidence: [`2 times in 10 minutes, last: ${line}`] },
  ]);
});

it.each([forbidden, "cannot serve dns://.:53 - it is already defined"])("the last command mends: %s", (line) => {
  expect(commands(findingsOf(edit.logged(line))[0]).at(-1)).toMatch(/^kubectl apply /);
});

it.each([
  ["queries-fail", "[ERROR] plugin/errors: 2 a. A: overflow unpacking uint16"],
  ["watches-break", "W1101 reflector.go:561] watch of *v1.Service ended with: too old resource version"],
])("%s, if there is more of it: %s", (id, line) => {
  expect(ofCoreDNS([line, line])).toEqual([]);
  expect(ofCoreDNS([line, line, line, line])).toMatchObject([{ id }]);
});

it.each([
  // The address is not on the node: no lack of ports.
  "Listen: listen udp 169.254.20.10:53: bind: cannot assign requested address",
  // A binary with a capability that the container may not have: no firewall.
  "2026-10-31T23:59:30.1Z exec /coredns: operation not permitted",
])("nothing is said of %s", (line) => expect(ofCoreDNS([line])).toEqual([]));

it.each<[where: string, ClusterDnsProps, last: RegExp]>([
  ["the nodes' resolv.conf", props, /^cat \/etc\/resolv\.conf /],
  [
    "the cluster file",
    { ...props, upstreamNameservers: ["192.0.2.53"], stubDomains: { "corp.example": ["192.0.2.54"] } },
    /upstreamNameservers \(192\.0\.2\.53\); stubDomains corp\.example \(192\.0\.2\.54\)$/,
  ],
])("servers that do not answer are looked for in %s", (_, given, last) => {
  const from = described(given);
  const [finding] = findingsOf(edit.logged(failed("connection refused")), from);
  expect(commands(finding)).toEqual([expect.any(String), expect.stringMatching(last)]);
});

it.each(["[FATAL].evil.example.", "panic.example."])("a pod cannot say something else by asking for %s", (name) => {
  const queried = `[INFO] 10.244.0.9:40312 - 7 "A IN ${name} udp 40 false 512" NOERROR qr,aa,rd 106 0.0001s`;
  const all = ofCoreDNS([twice(failed("connection refused", name)), queried]);
  expect(all.map(({ id }) => id)).toEqual(["upstream-silent"]);
});

const ownFailed = failed("i/o timeout", "1.2.", "HINFO");
it.each([
  ["one-name-unanswered", [failed("i/o timeout", "a.example."), failed("i/o timeout", "A.example.")]],
  ["upstream-silent", [failed("i/o timeout", "a.example."), failed("i/o timeout", "b.example.")]],
  // What health checks ask for.
  ["upstream-silent", [twice(failed("i/o timeout", ".", "NS"))]],
  ["queries-lost", [failed("i/o timeout", ".", "NS")]],
  // CoreDNS's own question is not answered either.
  ["upstream-silent", [failed("i/o timeout", "a."), ownFailed, ownFailed]],
])("time-outs are %s", (id, lines) => expect(ofCoreDNS(lines).map((each) => each.id)).toEqual([id]));

it("servers that are silent to pods alone may not get what pods send", () => {
  const silent = failed("i/o timeout", "a.example.") + "\n" + failed("i/o timeout", "b.example.");
  const beside = (line: string) => {
    const cache = is.pods.find(({ metadata }) => metadata.name.startsWith("node-local-dns-"))?.metadata.name ?? "";
    const logs = new Map([...edit.logged(silent).logs, ...edit.logged(line, cache, "node-cache").logs]);
    return commands(findingsOf({ logs })[0]).filter((each) => each.startsWith("sysctl net.ipv4.ip_forward"));
  };
  expect(beside("[INFO] plugin/ready")).toHaveLength(1);
  expect(beside(silent)).toEqual([]);
});

describe("what is old", () => {
  const readyAt = (lastTransitionTime: string) =>
    edit.patched(is.pods, "coredns-0", {
      status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime }] },
    });

  it.each(["[WARNING] plugin/kubernetes: starting server with unsynced Kubernetes API", forbidden])(
    "is nothing if a pod has become ready since, which it could not before: %s",
    (text) => {
      const since = edit.logged(`2026-10-31T23:59:03.2Z ${text}`);
      expect(found({ ...since, pods: readyAt("2026-10-31T23:59:09Z") })).toEqual([]);
      expect(found({ ...since, pods: readyAt("2026-10-31T23:50:00Z") })).toHaveLength(1);
    },
  );

  it.each([
    ["2026-10-31T23:52:03Z", "earlier", `${findings["upstream-silent"][1]}: 7 min ago, not since`],
    ["2026-10-31T23:58:03Z", "upstream-silent", findings["upstream-silent"][1]],
    // Older than what was asked for: of a node whose clock is not ours.
    ["2026-10-31T20:58:03Z", "upstream-silent", findings["upstream-silent"][1]],
  ])("is one line with its age: %s is %s", (time, id, title) => {
    const [finding, ...more] = findingsOf(edit.logged(twice(`${time} ${failed("connection refused")}`)));
    expect([finding, more]).toMatchObject([{ id, title }, []]);
    expect(finding?.evidence.length).toBe(id === "earlier" ? 0 : 1);
  });

  it("is not old while the pod is not ready", () => {
    const log = edit.logged(twice(`2026-10-31T23:52:03Z ${failed("connection refused")}`));
    const pods = edit.patched(is.pods, "coredns-0", { status: { conditions: [] } });
    expect(idsOf({ ...log, pods })).toContain("upstream-silent");
  });

  it("of a container's last run is only what ended it", () => {
    const unsynced = "[WARNING] plugin/kubernetes: starting server with unsynced Kubernetes API";
    const text = `${failed("connection refused")}\n${unsynced}\npanic: no`;
    const all = findingsOf(edit.logged(text, "coredns-0", "coredns --previous"));
    expect(all.map(({ id }) => id)).toEqual(["fatal-error"]);
    expect(commands(all[0])).toEqual([expect.stringMatching(/^kubectl logs coredns-0 .* --previous /)]);
  });
});

it("watches whose packets were lost last, in the log of one pod, with its node and the last time", () => {
  const said = (time: string) => `${time} [INFO] plugin/kubernetes: Warning: watch ended with error`;
  const [early, late] = [said("2026-10-31T23:52:00.1Z"), said("2026-10-31T23:52:03.2+00:00")];
  const of = (...lines: readonly string[]) => new Map([["coredns", lines.join("\n")]]);
  // Once is not repeated, in neither of two pods.
  const once = new Map(["coredns-0", "coredns-1"].map((pod) => [pod, of(early)]));
  expect(found({ logs: once })).toEqual([]);
  const [lost, ...more] = found({ logs: new Map([...once, ["coredns-1", of(late, late)]]) });
  expect([lost, more]).toMatchObject([{ id: "watches-lost", where: "log of pod kube-system/coredns-1 on node-2" }, []]);
  expect(lost?.evidence[0]).toMatch(/^2 times in 10 minutes, last at 2026-10-31T23:52:03Z, 7 min ago: .*with error$/);
});

it("a count that the number of lines has cut is the least", () => {
  const line = failed("connection refused");
  expect(ofCoreDNS(Array.from({ length: 1000 }, () => line))[0]?.evidence).toEqual([
    `at least 1000 times in 10 minutes, last: ${line}`,
  ]);
});

it.each([
  ["nftables" as const, "dial tcp 169.254.20.12:53: i/o timeout"],
  ["nftables" as const, "read udp 169.254.20.12:52613->169.254.20.12:53: i/o timeout"],
  ["iptables" as const, "read udp 10.0.0.1:52613->10.96.0.10:53: read: connection refused"],
])("a cache that the cluster DNS does not answer, in mode %s: %s", (kubeProxyMode, why) => {
  const from = described({ ...props, kubeProxyMode, nodeLocalDNS: { packetFilter: kubeProxyMode } });
  const line = `[ERROR] plugin/errors: 2 a.kube-system.svc.cluster.local. A: ${why}`;
  const [finding, ...more] = findingsOf(edit.logged(twice(line), "node-local-dns-0", "node-cache"), from);
  const where = "log of pod kube-system/node-local-dns-0 on node-1";
  expect([finding, more]).toMatchObject([{ id: "cluster-dns-silent", where }, []]);
  expect(commands(finding).join("\n")).toContain("/api/v1/nodes/http:node-1:10256/proxy/healthz");
  expect(commands(finding).join("\n")).not.toContain("resolv.conf");
  // Watchdogs ask by UDP, and have answers.
  expect(finding?.evidence.join()).toContain("only TCP");
});

describe("a cache that waits for a name until the cluster DNS has given up", () => {
  const federation = { name: "retail", zone: "z", region: "r", domain: "clusters.example" };
  const zones = { "lab.example": { records: {} }, "old.example": { records: {}, fallthrough: true } };
  const tenants = [{ name: "acme", namespaces: ["web"] }];
  const upstream = ["a", "b", "c"].map((name) => failed("i/o timeout", `${name}.example.`)).join("\n");
  const waits = (name: string, how = "read udp 169.254.20.12:52613->169.254.20.12:53: i/o timeout") =>
    `[ERROR] plugin/errors: 2 ${name} A: ${how}`;
  const foundIn = (cache: string, dns: string, given: Partial<ClusterDnsProps> = {}) => {
    const packetFilter = { packetFilter: "nftables" } as const;
    const from = described({ ...props, kubeProxyMode: "nftables", nodeLocalDNS: packetFilter, ...given });
    const ofCache = edit.logged(twice(cache), "node-local-dns-0", "node-cache");
    return found({ logs: new Map([...edit.logged(dns).logs, ...ofCache.logs]) }, from).map(({ id }) => id);
  };

  it.each<[name: string, Partial<ClusterDnsProps>, isOwn: boolean]>([
    ["1.0.0.10.in-addr.arpa.", {}, false],
    ["A.Old.example.", { zones }, false],
    ["a.lab.example.", { zones }, true],
    ["a.b.retail.svc.cluster.local.", { federation }, false],
    ["a.b.svc.cluster.local.", { federation }, true],
    ["a.web.acme.svc.cluster.local.", { tenancy: { tenants } }, true],
    [
      "a.corp.example.",
      {
        nodeLocalDNS: { askClusterDNS: "all" },
        upstreamTLSServerName: "dns.example",
        upstreamNameservers: ["192.0.2.53"],
      },
      false,
    ],
  ])("%s with %j: it answers it itself: %s", (name, given, isOwn) => {
    expect(foundIn(waits(name), upstream, given)).toEqual([
      ...(isOwn ? ["cluster-dns-silent"] : []),
      "upstream-silent",
    ]);
    // Without a complaint of its own, it does not wait for others.
    expect(foundIn(waits(name), "", given)).toEqual(["cluster-dns-silent"]);
  });

  it.each([
    "dial tcp 169.254.20.12:53: i/o timeout",
    "read udp 169.254.20.12:1->169.254.20.12:53: read: connection refused",
  ])("is another one than a cache that does not reach it: %s", (how) =>
    expect(foundIn(waits("1.10.in-addr.arpa.", how), upstream)).toEqual(["cluster-dns-silent", "upstream-silent"]),
  );

  it("waits no longer once the other servers answer", () => {
    const late = `2026-10-31T23:59:00Z ${waits("1.10.in-addr.arpa.")}`;
    const before = (minute: number) => foundIn(late, upstream.replaceAll(/^/gm, `2026-10-31T23:${minute}:00Z `));
    expect(before(58)).toEqual(["upstream-silent"]);
    expect(before(52)).toEqual(["cluster-dns-silent", "earlier"]);
  });
});

// They are told as one finding, with evidence and commands of the first.
it("complaints that share an id differ only in their lines", () => {
  const of = grouped(knownComplaints(new Patient(is, described())), ({ id }) => id);
  const rest = of.map(([id, same]) => [
    id,
    new Set(same.map(({ evidence, next }) => `${dense(evidence).join()} ${next}`)).size,
  ]);
  expect(rest.filter(([, ways]) => ways !== 1)).toEqual([]);
});

it("groups the lines of hundreds of nodes in time that grows with their number, not with its square", () => {
  const lines = Array.from({ length: 50_000 }, (_, i) => `line ${i}`);
  expect(grouped(lines, () => "same")).toEqual([["same", lines]]);
});
