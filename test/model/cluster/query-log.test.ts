import { expect, it } from "vitest";
import { resolve } from "../../../src/model/check/resolve";
import { authoritativeCorefile } from "../../../src/model/corefile/authoritative";
import { nodeLocalDnsCorefile } from "../../../src/model/corefile/node-local-dns";
import type { Cluster } from "../../../src/model/cluster/cluster";
import { cached } from "../../cached";

const props = { ...cached, queryLog: { until: "2026-12-24" } };

/** The blocks with a plugin, of CoreDNS and of the cache. */
function blocksWith(name: string, cluster: Cluster | undefined): string[] {
  const { authoritativeDns, nodeLocalDns } = cluster?.components ?? {};
  const ofServer = authoritativeDns ? authoritativeCorefile(authoritativeDns.names) : [];
  const all = [...ofServer, ...(nodeLocalDns ? nodeLocalDnsCorefile(nodeLocalDns) : [])];
  return all
    .filter(({ plugins }) => plugins.some((each) => each.name === name))
    .map(({ keys }) => keys.map(({ zone }) => zone).join(" "));
}

const everywhere = ["cluster.local in-addr.arpa ip6.arpa", ".", ".", "cluster.local", ".", "."];

it.each<[today: string, blocks: string[], note: RegExp | undefined]>([
  ["2026-12-16", everywhere, undefined],
  ["2026-12-17", everywhere, /^queryLog ends on 2026-12-24, in 7 days/],
  ["2026-12-23", everywhere, /in 1 day:/],
  ["2026-12-24", everywhere, /today/],
  ["2026-12-25", [], /^queryLog ended on 2026-12-24/],
  ["2027-01-01", [], /^queryLog ended/],
])("on %s, a log until Christmas is in these blocks: %j", (today, blocks, note) => {
  const { cluster } = resolve(props, today);
  expect(blocksWith("log", cluster)).toEqual(blocks);
  expect(cluster?.notes).toEqual(note ? [expect.stringMatching(note)] : []);
});

it.each([
  ["2000-01-01", []],
  ["9999-12-31", everywhere],
])("without a day, today's clock says whether a log until %s is over: %j", (until, blocks) => {
  expect(blocksWith("log", resolve({ ...props, queryLog: { until } }).cluster)).toEqual(blocks);
});

it("blocks that log in their own way are left alone, as are questions to ourselves", () => {
  const blocks = "a.example {\n log . {\n class error\n }\n forward . 10.1.1.1\n}\nb.example {\n forward . 10.1.1.1\n}";
  const dnstap = { endpoint: "tcp://10.1.1.1:1" };
  const { cluster } = resolve({ ...props, nodeLocalDNS: { corefile: { blocks } }, dnstap });
  const logs = cluster?.components.nodeLocalDns && nodeLocalDnsCorefile(cluster.components.nodeLocalDns);
  const of = (zone: string) =>
    logs?.find(({ keys }) => keys.some((key) => key.zone === zone))?.plugins.map(({ name }) => name) ?? [];
  expect(of("a.example").filter((name) => name === "log")).toEqual(["log"]);
  expect(of("a.example")).toContain("dnstap");
  expect(of("b.example")).toContain("log");
  expect(of("health.node-local-dns.internal")).not.toContain("log");
});
