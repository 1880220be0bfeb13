import { describe, expect, it } from "vitest";
import { resolve } from "../../../src/model/check/resolve";
import { agentImage, base, faultyKeys, problemsOf } from "./problems";

it("the shortest cluster is right", () => expect(resolve(base).problems).toBeUndefined());

describe("a Cluster", () => {
  const { cluster } = resolve(base);

  it("that resolve returned is taken as it is", () => expect(resolve(cluster).cluster).toBe(cluster));

  it.each<[what: string, value: object]>([
    ["a copy with a change", { ...cluster, clusterDNS: ["x"] }],
    ["a clone", structuredClone(cluster) as object],
    ["props that say they are one", { ...base, kind: "Cluster" }],
    ["what has only its kind", { kind: "Cluster" }],
  ])("is refused otherwise: %s", (_, value) =>
    expect(resolve(value)).toEqual({
      problems: [{ path: ["kind"], at: "key", message: expect.stringContaining("pass props, or the very Cluster") }],
    }),
  );
});

it.each(["tomorrow", "2026-02-30", new Date(0), null, 0])("%j is no day", (today) =>
  expect(() => resolve(base, today as string)).toThrow(/^today: .* is not accepted; accepted: a day in UTC/),
);

describe("the shape", () => {
  const said = (message: string, ...path: string[]) => {
    return { path, at: "value", message: expect.stringContaining(message) };
  };
  const missing = "is required but missing; accepted: ";
  const needed = [
    said(`${missing}the cluster IP of Service kube-dns, such as [10.96.0.10]`, "clusterDNS"),
    said(`${missing}iptables, nftables, ipvs, or none`, "kubeProxyMode"),
  ];
  it.each<[what: string, value: unknown, problems: object[]]>([
    ["nothing", undefined, [said("undefined is no value"), ...needed]],
    ["a list", [], [said("[] is a list; accepted: a mapping")]],
    ["an empty mapping", {}, needed],
  ])("of %s", (_, value, problems) => expect(resolve(value)).toEqual({ problems }));

  const [pods, ttl] = ["; accepted: a whole number, 1 to 1000", "; accepted: a whole number, 0 to 3600"];
  it.each<[key: string, value: unknown, message: string]>([
    ["kubeProxyMode", "ipv", '"ipv" is not one of iptables, nftables, ipvs, none; did you mean ipvs?'],
    ["kubeProxyMode", "userspace", '"userspace" is not one of iptables, nftables, ipvs, none'],
    ["authoritativeDNS.replica", 3, "unknown key; did you mean replicas?"],
    ["nodeLocalDNS.cache.success.colour", 1, "unknown key; accepted here: capacity, ttl"],
    ["authoritativeDNS.replicas", 0, `0 is too small${pods}`],
    ["authoritativeDNS.ttl", 86400, `86400 is too large${ttl}`],
    ["authoritativeDNS.replicas", 1.5, `1.5 is a number${pods}`],
    ["authoritativeDNS.replicas", "2", `"2" is a string${pods}; write it without quotes`],
    ["kubeProxyMode", 5, "5 is not one of iptables, nftables, ipvs, none"],
    ["kubeProxyMode", null, "is empty; accepted: iptables, nftables, ipvs, none"],
    ["clusterDNS", "10.96.0.10", '"10.96.0.10" is a string; accepted: a list; write [10.96.0.10]'],
    ["clusterDNS[0]", [10.96], "10.96 is a number; accepted: an IP address"],
    ["stubDomains", "{}", '"{}" is a string; accepted: a mapping; write it without quotes'],
    ["upstreamNameservers", "[]", '"[]" is a string; accepted: a list; write it without quotes'],
    ["nodeLocalDNS.askClusterDNS", "All", '"All" is a string; accepted: all or a list; did you mean all?'],
    ["filterAAAA", "true", '"true" is a string; accepted: true or false; write it without quotes'],
    ["kubernetesVersion", 1.3, "1.3 is a number; accepted: a string"],
    ["stubDomains.a", "10.1.1.1", '"10.1.1.1" is a string; accepted: a list; write [10.1.1.1]'],
    ["replicas", 3, "unknown key; did you mean replicas in authoritativeDNS?"],
    ["cache", {}, "unknown key; did you mean cache in authoritativeDNS or nodeLocalDNS?"],
    ["prefetch", {}, "unknown key; did you mean prefetch in authoritativeDNS.cache or nodeLocalDNS.cache?"],
    ["domain", "corp.local", "unknown key; did you mean clusterDomain, or domain in federation?"],
    ["-ip", "10.1.1.1", 'unknown key; a space is missing after "-"'],
    ["authoritativeDNS.ttl", "2m", `"2m" is a string${ttl}; write seconds, without a unit: 120`],
    ["stubDomains", "a.b:10.1.1.1", '"a.b:10.1.1.1" is a string; accepted: a mapping; a space is missing after a.b:'],
    ["labels.a:b", null, "is empty; accepted: a string; a space is missing after a:"],
    ["upstreamNameservers", "-a -b", '"-a -b" is a string; accepted: a list; a space is missing after "-"'],
    ["hostAliases", { "-a": "b" }, '{"-a":"b"} is a mapping; accepted: a list; a space is missing after "-"'],
    ["nodeLocalDNS.state:disabled", null, "unknown key; a space is missing after state:"],
    ["nodeLocalDNS.enabled", false, "unknown key; write state, which is one of enabled, disabled, draining, removed"],
    ["labels.canary", true, "true is a boolean; accepted: a string"],
    ["clusterDNS", "None", '"None" is not an IP address; accepted: IPv4 (10.96.0.10) or IPv6 (fd00:96::a)'],
    ["upstreamNameservers", "8.8.8.8 fd::1", '"8.8.8.8 fd::1" is a string; accepted: a list; write [8.8.8.8, fd::1]'],
    ["filterAAAA", "yes", '"yes" is a string; accepted: true or false; write true'],
    [
      "size",
      50,
      "50 is a number; accepted: a mapping of nodes, pods, services; write {nodes: 50} or {pods: 50} or {services: 50}",
    ],
    [
      "queryLog",
      ["a.example"],
      '["a.example"] is a list; accepted: a mapping of zones, classes, until; write {zones: [a.example]}',
    ],
    ["queryLog", "all", '"all" is a string; accepted: a mapping of zones, classes, until'],
    [
      "rewrites",
      { from: "a.b", to: "7" },
      '{"from":"a.b","to":"7"} is a mapping; accepted: a list; write [{from: a.b, to: "7"}]',
    ],
    [
      "tenancy.tenants[0]",
      ["a"],
      '"a" is a string; accepted: a mapping of name (required), namespaces; write {name: a}',
    ],
    ["rewrites", { a: 1 }, '{"a":1} is a mapping; accepted: a list'],
    ["authoritativeDNS.nodeSelector", {}, "unknown key; did you mean nodeSelector in nodePlacement?"],
    ["authoritativeDNS.stubDomains", {}, "unknown key; did you mean stubDomains at the top of the file?"],
  ])("%s, %j: %s", (key, value, message) =>
    expect(problemsOf({ [key.replace("[0]", "")]: value })).toEqual([`${key}: ${message}`]),
  );

  it("the accepted keys are listed once a mapping", () => {
    const wrong = { authoritativeDNS: { colour: 1, flavour: 2 } };
    expect(problemsOf(wrong).map((each) => each.includes("; accepted here"))).toEqual([true, false]);
  });

  it.each<[what: string, instead: string, props: object]>([
    ["is empty", " more", { authoritativeDNS: null }],
    ["false is a boolean", "; write {state: disabled}", { nodeLocalDNS: false }],
    ['"enabled" is a string', "; write {state: enabled}", { nodeLocalDNS: "enabled" }],
    ["false is a boolean", "; leave it out", { monitoring: false }],
    ["true is a boolean", "; write {} for its defaults", { monitoring: true }],
    ["false is a boolean", "; to keep the cluster's own, write {kind: Existing}", { authoritativeDNS: false }],
    ['["10.1.1.1"] is a list', "; write {servers: [10.1.1.1]}", { zones: { "a.b": { forward: ["10.1.1.1"] } } }],
    ["is empty", "interval, domain, recursive", { upstreamOptions: { healthCheck: null } }],
    ['"replicas:3" is a string', "; a space is missing after replicas:", { authoritativeDNS: "replicas:3" }],
  ])("names the keys of a mapping whose value %s, and what to write: %s", (what, instead, props) => {
    const [problem = "", ...others] = problemsOf(props);
    expect(others).toEqual([]);
    expect(problem).toContain(`${what}; accepted: a mapping of `);
    expect(problem.endsWith(instead)).toBe(true);
  });

  const [dns, aliases] = [["10.96.0.10"], [{ ip: "10.1.1.1", hostname: ["a.example"] }]];
  it.each<[key: string, description: object, message: string]>([
    ["one", { clusterDns: dns, kubeProxyMode: "nftables" }, "did you mean clusterDNS?"],
    ["one without a space", { clusterDNS: dns, "kubeProxyMode:ipvs": null }, "a space is missing after kubeProxyMode:"],
    ["one in a section", { ...base, hostAliases: aliases }, "did you mean hostnames?"],
  ])("says of %s that is misspelt only that, not that the right one is missing", (_, description, message) => {
    expect(resolve(description).problems).toMatchObject([{ message: `unknown key; ${message}` }]);
  });

  it("says what is missing if a misspelt key was meant to be another", () => {
    expect(faultyKeys({ clusterDNS: undefined, clusterDomn: "corp.local" })).toEqual(["clusterDNS", "clusterDomn"]);
  });

  it("distinguishes an unknown key from a wrong value, and index 0 from a key of that name", () => {
    const { problems = [] } = resolve({ ...base, clusterDNS: [0], nodeSelektor: {}, stubDomains: { "0": [0] } });
    const [wrong, key] = ["value", "key"];
    const paths = problems.map(({ path, at }) => [at, ...path]);
    expect(paths).toEqual([
      [key, "nodeSelektor"],
      [wrong, "clusterDNS", 0],
      [wrong, "stubDomains", "0", 0],
    ]);
  });
});

describe("everything that is wrong is said at once", () => {
  it("of one value, what it is not comes before what it is for", () => {
    const upstreamOptions = { tlsCA: "no certificate" };
    const props = { ciliumVersion: "newest", dns64: "64", upstreamOptions };
    expect(faultyKeys(props)).toEqual(["dns64", "upstreamOptions.tlsCA", "ciliumVersion"]);
    expect(problemsOf(props).at(-1)).toContain("is not a release");
  });

  it("within the shape, and in rules over what has the right shape", () => {
    const props = {
      clusterDNS: ["10.96.0.256"],
      kubeProxyMode: "iptable",
      clusterDomain: "Cluster.Local",
      authoritativeDNS: { replica: 3, ttl: "30s", nodePlacement: { nodeSelector: { "a b": "" } } },
      upstreamNameservers: ["dns.google", 8],
      stubDomains: { "corp.example": ["127.0.0.1"] },
    };
    expect(faultyKeys(props).sort()).toEqual([
      ...["nodePlacement.nodeSelector.a b", "replica", "ttl"].map((key) => `authoritativeDNS.${key}`),
      "clusterDNS[0]",
      "clusterDomain",
      "kubeProxyMode",
      "stubDomains.corp.example[0]",
      "upstreamNameservers[0]",
      "upstreamNameservers[1]",
    ]);
  });

  it("in a list of the wrong length, or beside an entry that is no text, or under a misspelt key itself", () => {
    const problems = problemsOf({
      clusterDNS: ["10.96.0.10", "10.96", "x"],
      upstreamNameservers: ["8.8.8.8", "dns.example", {}],
      hostAliases: [{ ip: "10.1.1.x", hostnames: ["a.example", []] }],
      upstreamPolicies: "sequentiel",
      serviceCIDR: ["10.96.0.0"],
    });
    expect(problems.map((line) => line.split(";")[0]).toSorted()).toEqual([
      "clusterDNS: has 3 entries",
      'clusterDNS[1]: "10.96" is not an IP address',
      'clusterDNS[2]: "x" is not an IP address',
      "hostAliases[0].hostnames[1]: [] is a list",
      'hostAliases[0].ip: "10.1.1.x" is not an IP address',
      "serviceCIDR: unknown key",
      'serviceCIDR[0]: "10.96.0.0" is not a CIDR',
      'upstreamNameservers[1]: "dns.example" is not a server',
      "upstreamNameservers[2]: {} is a mapping",
      'upstreamPolicies: "sequentiel" is not one of random, round_robin, sequential',
      "upstreamPolicies: unknown key",
    ]);
  });

  it("below what is misspelt or written as another type, at the key as it is written", () => {
    const problems = problemsOf({
      agentimage: "agent",
      nodeLocalDns: { queryLimit: 5, markBit: 0x4000, linkLocalAddresses: "10.1.1.1", replicas: 1 },
      tenancy: { tenants: [{ name: "Blue", namespaces: "shop, Web" }] },
    });
    expect(problems.map((line) => line.split(";")[0]).toSorted()).toEqual([
      'agentimage: "agent" names no version',
      "agentimage: unknown key",
      'nodeLocalDns.linkLocalAddresses: "10.1.1.1" is a string',
      "nodeLocalDns.markBit: 16384 belongs to kube-proxy",
      "nodeLocalDns.queryLimit: 5 is too small",
      "nodeLocalDns.replicas: unknown key",
      "nodeLocalDns: unknown key",
      'tenancy.tenants[0].name: "Blue" is not an RFC 1123 label',
      'tenancy.tenants[0].namespaces: "shop, Web" is a string',
      'tenancy.tenants[0].namespaces[1]: "Web" is not the name of a namespace',
    ]);
  });

  // What follows from the mistake would mislead: "set kubernetesVersion", "agentImage is missing".
  it.each<[what: string, props: object]>([
    ["a misspelt key", { agentimage: agentImage, smokeTest: true, "nodeLocalDNS.queryLimit": 100 }],
    ["a number", { kubernetesVersion: 1.34, trafficDistribution: "PreferSameZone" }],
    ["a number that YAML shortens", { kubeProxyMode: "nftables", kubernetesVersion: 1.3, agentImage }],
    ["a word", { kubeProxyMode: "none", cni: "Cilium", ciliumVersion: "1.17.3", "nodeLocalDNS.state": "enabled" }],
    ["an address for a list", { upstreamTLSServerName: "dns.example", upstreamNameservers: "9.9.9.9" }],
    ["an empty list", { upstreamTLSServerName: "dns.example", upstreamNameservers: [] }],
    ["a mapping for a list", { upstreamTLSServerName: "dns.example", upstreamNameservers: {} }],
    ["records", { zones: { "a.example": { records: { www: { A: "10.1.1.1" } } } } }],
    ["a key of a zone", { zones: { "a.example": { A: ["10.1.1.1"] } } }],
    ["a text for a number", { "nodeLocalDNS.queryLimit": "100", agentImage }],
    ["a word for a mapping", { nodeLocalDNS: "disabled", kubeProxyMode: "none" }],
  ])("and nothing that follows from %s", (_, props) => {
    expect(problemsOf(props)).toHaveLength(1);
  });

  it("and what needs a key that is there without a value", () => {
    const props = { upstreamTLSServerName: "dns.example", upstreamNameservers: undefined };
    expect(faultyKeys(props)).toEqual(["upstreamTLSServerName"]);
  });

  it("and only where it is wrong: a list with one bad entry does not make other rules complain", () => {
    const props = { agentImage, clusterDNS: [10], serviceCIDRs: ["10.96.0.0/16"], nodeLocalDNS: {} };
    expect(faultyKeys(props)).toEqual(["clusterDNS[0]"]);
  });
});

it("a value that is undefined is one that is left out", () => {
  expect(problemsOf({ clusterDNS: undefined })).toEqual([expect.stringMatching(/^clusterDNS: is required/)]);
  expect(problemsOf({ kubernetesVersion: undefined, authoritativeDNS: { replicas: undefined } })).toEqual([]);
});
