import { expect, it } from "vitest";
import { parseSamples } from "../../../src/model/kubernetes/samples";
import * as edit from "./edit";
import { described, found, healthy, idsOf, props } from "./healthy";

const answers = (server: string, rcode: string, count: number) =>
  `coredns_proxy_request_duration_seconds_count{proxy_name="forward",rcode="${rcode}",to="${server}:53"} ${count}`;
const unanswered = (server: string, count: number) =>
  `coredns_proxy_healthcheck_failures_total{proxy_name="forward",to="${server}:53"} ${count}`;
const waited = (server: string, seconds: number) =>
  `coredns_proxy_request_duration_seconds_sum{proxy_name="forward",rcode="NOERROR",to="${server}:53"} ${seconds}`;
const counted = (...lines: readonly string[]) => ({
  forwarded: new Map(lines.map((line, i) => [`coredns-${i}`, parseSamples(line)])),
});

// Two for all names, and one for those of a stub domain.
const [a, b, ofStub] = ["192.0.2.1", "192.0.2.2", "192.0.2.9"] as const;

it.each<[what: string, lines: readonly string[], ids: readonly string[]]>([
  ["all is well", [answers(a, "NOERROR", 90), answers(a, "SERVFAIL", 9)], []],
  ["half of the answers are failures", [answers(a, "NOERROR", 12), answers(a, "FORMERR", 12)], ["upstream-failing"]],
  ["few, as of one broken name", [answers(a, "SERVFAIL", 8), answers(b, "SERVFAIL", 3)], ["names-failing"]],
  ["few, while another resolves all", [answers(a, "SERVFAIL", 8), answers(b, "NXDOMAIN", 8)], ["upstream-failing"]],
  ["too few to tell", [answers(a, "REFUSED", 3)], []],
  ["one of two refuses", [answers(a, "REFUSED", 9), answers(b, "NOERROR", 9)], ["upstream-failing"]],
  ["one of two is silent", [unanswered(a, 2), answers(b, "NOERROR", 9)], ["upstream-down"]],
  ["the other is not asked now", [unanswered(a, 2), answers(b, "NOERROR", 0)], ["upstream-down"]],
  ["both are silent", [unanswered(a, 2), unanswered(b, 1)], ["no-upstream"]],
  ["the only one of a stub domain", [unanswered(ofStub, 2), answers(a, "NOERROR", 9)], ["no-upstream"]],
  ["the server beside it is a stub domain's", [unanswered(a, 2), answers(ofStub, "NOERROR", 9)], ["no-upstream"]],
  ["answers are late", [`${answers(a, "NOERROR", 6)}\n${waited(a, 6)}`], ["upstream-slow"]],
  ["answers are in time", [`${answers(a, "NOERROR", 6)}\n${waited(a, 5)}`], []],
  ["health checks alone fail", [`${unanswered(a, 2)}\n${answers(a, "NOERROR", 9)}`], ["upstream-down"]],
  ["the cluster DNS itself", [unanswered("10.96.0.10", 2), answers("10.96.0.10", "SERVFAIL", 9)], []],
  ["an IPv6 server", [unanswered("[2001:db8::53]", 2)], ["no-upstream"]],
])("%s", (_, lines, ids) => {
  const from = described({ ...props, stubDomains: { "corp.example": [ofStub] } });
  expect(idsOf(counted(...lines), from)).toEqual(ids);
});

it("names servers, and what they answered", () => {
  const lines = [answers(a, "REFUSED", 9), answers(b, "SERVFAIL", 28)];
  expect(found(counted(...lines, answers(b, "NXDOMAIN", 1)))).toMatchObject([
    {
      where: "192.0.2.1:53, 192.0.2.2:53",
      evidence: [
        "192.0.2.1:53: within 2 seconds, 9 of 9 answers were REFUSED",
        "192.0.2.2:53: within 2 seconds, 28 of 29 answers were SERVFAIL",
      ],
    },
  ]);
});

it("says for which names a stub domain's server is asked, by counters and by lines of logs", () => {
  const stubDomains = { "corp.example": ["192.0.2.1"], "lab.example": ["192.0.2.1:53", "192.0.2.9"] };
  const asked = expect.arrayContaining(["192.0.2.1:53 is asked for corp.example, lab.example"]);
  const from = described({ ...props, stubDomains });
  expect(found(counted(answers(a, "REFUSED", 9)), from)).toMatchObject([{ evidence: asked }]);
  const line = "[ERROR] plugin/errors: 2 a.corp.example. A: read udp 10.244.0.2:4->192.0.2.1:53: i/o timeout";
  expect(found(edit.logged(`${line}\n${line}`), from)).toMatchObject([{ id: "one-name-unanswered", evidence: asked }]);
});

// A packet is lost now and then: one in a hundred answers, to the same pod.
it.each([
  ["queries-lost", 2, [answers("192.0.2.53", "NOERROR", 1)]],
  ["queries-lost", 100, [answers("192.0.2.53", "NOERROR", 40)]],
  ["upstream-silent", 200, [answers("192.0.2.53", "NOERROR", 40)]],
  ["upstream-silent", 2, [answers("192.0.2.54", "NOERROR", 9)]],
  ["upstream-silent", 6, ["", answers("192.0.2.53", "NOERROR", 9)]],
])("lines of lost queries are %s: %d beside %j", (id, count, lines) => {
  const lost = Array.from(
    { length: count },
    (_, i) => `[ERROR] plugin/errors: 2 n${i}. A: read udp 10.244.0.2:4->192.0.2.53:53: i/o timeout`,
  );
  expect(idsOf({ ...edit.logged(lost.join("\n")), ...counted(...lines) })).toEqual([id]);
});

// It is asked all the time, and 16 of its answers in two seconds are 80 in ten.
it.each([
  ["upstream-silent", 3, 10, 0],
  ["queries-lost", 3, 40, 0],
  ["earlier", 30, 40, 20],
])("lines of a loss are %s: %d within %d s, the last %d s ago", (id, count, first, last) => {
  const { now } = healthy();
  const at = (ago: number) => new Date(now.getTime() - ago * 1000).toISOString();
  const lost = Array.from({ length: count }, (_, i) => {
    const ago = first - ((first - last) * i) / (count - 1);
    return `${at(ago)} [ERROR] plugin/errors: 2 n${i}. A: read udp 10.244.0.2:4->192.0.2.53:53: i/o timeout`;
  });
  const all = found({ ...edit.logged(lost.join("\n")), ...counted(answers("192.0.2.53", "NOERROR", 16)) });
  expect(all.map((each) => each.id)).toEqual([id]);
  expect(all[0]?.evidence.join().includes("192.0.2.53:53 answers others")).toBe(id === "upstream-silent");
});
