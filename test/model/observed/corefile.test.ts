import { describe, expect, it } from "vitest";
import { fromCorefile } from "../../../src/model/observed/corefile-finding";

/** What a Corefile becomes in a cluster file, and what is listed. */
function seen(text: string, isKept = false) {
  const { findings, unsaid } = fromCorefile(text, "C", isKept);
  return {
    said: findings
      .filter(({ isDefault }) => isDefault !== true)
      .map(({ path, value }) => `${path.join(".")}: ${JSON.stringify(value)}`),
    unsaid: unsaid.map((what) => what.replace(/^C: /, "")),
  };
}

const kubernetes = (zones: string, fallthrough = "fallthrough in-addr.arpa ip6.arpa") =>
  `kubernetes ${zones} {\n    ttl 30\n    pods insecure\n    ${fallthrough}\n  }`;
const usual = kubernetes("cluster.local in-addr.arpa ip6.arpa");

describe("the cluster's zones", () => {
  it.each<[what: string, keys: string, zones: string, said: string[], unsaid: string[]]>([
    ["of the plugin", ".:53", "corp.local in-addr.arpa ip6.arpa", ['clusterDomain: "corp.local"'], []],
    [
      "of the block, if the plugin names none",
      "corp.local:53 other.local in-addr.arpa ip6.arpa",
      "",
      ['clusterDomain: "corp.local"'],
      ["kubernetes: zone other.local"],
    ],
    ["of the block, all", ".:53", "", [], ["kubernetes: zone ."]],
    ["once each, as RKE2 writes them", ".:53", "cluster.local cluster.local in-addr.arpa ip6.arpa", [], []],
    ["not networks", ".:53", "10.0.0.0/8 corp.local", ['clusterDomain: "corp.local"'], []],
  ])("are those %s", (_, keys, zones, said, unsaid) => {
    expect(seen(`${keys} {\n  ${kubernetes(zones)}\n  cache 30\n}\n`)).toEqual({
      said,
      unsaid: expect.arrayContaining(unsaid),
    });
  });

  it.each<[zones: string, fallthrough: string, unsaid: string[]]>([
    ["cluster.local", "", ["no reverse names, while ours answers in-addr.arpa ip6.arpa"]],
    ["cluster.local in-addr.arpa. ip6.arpa.", "fallthrough ip6.arpa. in-addr.arpa.", []],
    [
      "cluster.local 10.96.0.0/12 fd00::/64",
      "fallthrough",
      [
        "fallthrough; ours: fallthrough in-addr.arpa ip6.arpa",
        "of reverse names, only 96.10.in-addr.arpa 97.10.in-addr.arpa and 15 more, while ours answers in-addr.arpa ip6.arpa",
      ],
    ],
    [
      "cluster.local 96.10.in-addr.arpa",
      "",
      [
        "no fallthrough; ours: fallthrough in-addr.arpa ip6.arpa",
        "of reverse names, only 96.10.in-addr.arpa, while ours answers in-addr.arpa ip6.arpa",
      ],
    ],
  ])("reverse names are listed if ours answers others: %s", (zones, fallthrough, unsaid) => {
    const text = `.:53 {\n  ${kubernetes(zones, fallthrough)}\n}\n`;
    const elsewhere = `in-addr.arpa ip6.arpa {\n  ${usual}\n}\n`;
    expect(seen(text).unsaid).toEqual(unsaid.map((what) => `kubernetes: ${what}`));
    expect(seen(text, true).unsaid).toEqual([]);
    expect(seen(text + elsewhere).unsaid).not.toContainEqual(expect.stringContaining("while ours answers"));
  });
});

describe("hosts", () => {
  it.each<[hosts: string, unsaid: string[]]>([
    ["hosts { \n 10.1.1.1 a.example\n fallthrough\n}", []],
    [
      "hosts /dev/null corp.example {\n 10.1.1.1 a.example\n}",
      ["only for corp.example; ours: for all names", "no fallthrough, so other names fail; ours: fallthrough"],
    ],
    ["hosts {\n 10.1.1.1 a.example\n fallthrough corp.example\n}", ["fallthrough corp.example; ours: fallthrough"]],
  ])("are read with what happens to other names: %j", (hosts, unsaid) => {
    expect(seen(`.:53 {\n${hosts}\n}\n`)).toEqual({
      said: ['hostAliases: [{"ip":"10.1.1.1","hostnames":["a.example"]}]'],
      unsaid: unsaid.map((what) => `hosts: ${what}`),
    });
  });
});

describe("of several blocks, one counts for names outside", () => {
  const general =
    ".:53 {\n  hosts {\n    10.2.2.2 a.example\n    fallthrough\n  }\n  forward . 8.8.8.8\n  cache 30\n}\n";
  const said = ['hostAliases: [{"ip":"10.2.2.2","hostnames":["a.example"]}]', 'upstreamNameservers: ["8.8.8.8"]'];

  it("that for all clients; what another says otherwise is listed", () => {
    const view = `.:53 {\n  view int {\n    expr true\n  }\n  ${usual}\n  hosts {\n    10.2.2.2 b.example\n    fallthrough\n  }\n  forward . 10.1.1.1\n  cache 30\n}\n`;
    expect(seen(view + general)).toEqual({
      said,
      unsaid: [
        "view int { expr true }",
        "server block .: hosts { 10.2.2.2 b.example; fallthrough }; ours: one for all names",
        "server block .: forward . 10.1.1.1; ours: one for all names",
      ],
    });
  });

  it("not that of the cluster's names, whose hosts count if there are no others", () => {
    const ofCluster = (more: string) => `cluster.local in-addr.arpa ip6.arpa {\n  ${usual}\n  ${more}\n}\n`;
    expect(seen(ofCluster("forward . 10.1.1.1") + general)).toEqual({
      said,
      unsaid: ["server block cluster.local in-addr.arpa ip6.arpa: forward . 10.1.1.1; ours: one for all names"],
    });
    const hosts = "hosts {\n    10.2.2.2 a.example\n    fallthrough\n  }";
    expect(seen(`${ofCluster(hosts)}. {\n  forward . 8.8.8.8\n  cache 30\n}\n`)).toEqual({ said, unsaid: [] });
  });
});

it("a network's server block is a stub domain of each reverse zone", () => {
  const text = "10.1.0.0/16:53 fd00:0:8::/46 {\n  forward . 10.9.9.9\n}\n";
  const zones = [
    "1.10.in-addr.arpa",
    ...["8", "9", "a", "b"].map((digit) => `${digit}.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa`),
  ];
  expect(seen(text).said).toEqual(zones.map((zone) => `stubDomains.${zone}: ["10.9.9.9"]`));
});
