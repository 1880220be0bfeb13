import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../rig/seed";
import { formatProblem } from "../../src/config/located-problem";
import { decodeYaml } from "../../src/config/read-yaml";
import { resolveFiles } from "../../src/config/resolve-files";
import { clusterOf } from "../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";

const needed = "clusterDNS: [10.96.0.10]\nkubeProxyMode: none\n";

function read(text: string | Uint8Array) {
  return resolveFiles([decodeYaml("clusters/prod.yaml", typeof text === "string" ? Buffer.from(text) : text)]);
}

function problemsOf(text: string | Uint8Array): string[] {
  const result = read(text);
  return "problems" in result ? result.problems.map(formatProblem) : [];
}

describe("a valid cluster file", () => {
  const shortest: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "none" };

  it("contains the props, one to one", () => {
    const text = `# yaml-language-server: $schema=schema.json\n${needed}stubDomains: {corp.example: [10.1.2.3]}\n`;
    const props = { ...shortest, stubDomains: { "corp.example": ["10.1.2.3"] } };
    expect(read(text)).toEqual({ cluster: clusterOf(props), description: props });
  });

  it.each([
    ["a byte order mark", `\ufeff${needed}`],
    ["Windows line ends", needed.replaceAll("\n", "\r\n")],
    ["JSON", '{"clusterDNS": ["10.96.0.10"], "kubeProxyMode": "none"}'],
    ["document markers", `---\n${needed}...\n`],
  ])("may have %s", (_, text) => expect(read(text)).toMatchObject({ cluster: clusterOf(shortest) }));

  it("may have keys that mean something in JavaScript", () => {
    const result = read(`${needed}stubDomains: {__proto__: [10.1.2.3]}\nlabels: {toString: a, hasOwnProperty: b}\n`);
    expect(result).toMatchObject({
      cluster: {
        said: { labels: { toString: "a", hasOwnProperty: "b" } },
        components: { authoritativeDns: { names: { outside: { stubDomains: [{ zone: "__proto__" }] } } } },
      },
    });
  });

  it("may define a value once and use it twice", () => {
    const text = `${needed}stubDomains:\n  a.example: &servers [10.1.2.3]\n  b.example: *servers\n`;
    const stubDomains = { "a.example": ["10.1.2.3"], "b.example": ["10.1.2.3"] };
    expect(read(text)).toMatchObject({ cluster: clusterOf({ ...shortest, stubDomains }) });
  });

  it("may use it a thousand times", () => {
    const others = Array.from({ length: 1000 }, (_, i) => `  d${i}.example: *servers\n`).join("");
    expect(problemsOf(`${needed}stubDomains:\n  a.example: &servers [10.1.2.3]\n${others}`)).toEqual([]);
  });
});

const mistakes = "kubeProxyMode: ipv\nclusterDNS: [10.96.0.300]\nclusterDNS: [10.96.0.10]\nreplicas: 3\n";
const probes = "nodeLocalDNS: {watchdogThresholds: {probeInterval: 600}}";
const misspelt = "clusterDNS:\n  - 10.96.0.10\n\nkubeProxyMode: ipv\n";
const aliased = `${needed}stubDomains: {a.example: &s [10.1.2.3, x], b.example: *s}\n`;
const noDns = "# a comment\nkubeProxyMode: ipvs\n";
const unquoted = `${needed}kubernetesVersion: 1.30\n`;
it.each<[where: string, text: string, ...problems: string[]]>([
  ["at the value, with a suggestion", misspelt, '4:16 kubeProxyMode: "ipv" is not one of iptables, nftables, ipvs,'],
  ["at the key", `${needed}authoritativeDNS:\n    replica: 3\n`, "4:5 authoritativeDNS.replica: unknown key"],
  ["in the target of an alias", aliased, "3:40 stubDomains.a.example[1]: ", "3:40 stubDomains.b.example[1]: "],
  ["at the parent if something is missing", noDns, "2:1 clusterDNS: is required but missing; accepted: the cluster"],
  ["at a key without a value", `${needed}clusterDomain:\n`, "3:15 clusterDomain: is empty; accepted: a string"],
  ["with all the others, in the order of the file", mistakes, "1:16 kubeProxyMode:", "3:1 this", "4:1 replicas:"],
  [
    "as it was",
    `${needed}kubernetesVersion: 1.3\n`,
    '3:20 kubernetesVersion: 1.3 is a number; accepted: a string; put it in quotes: "1.30"',
  ],
  ["as written", unquoted, '3:20 kubernetesVersion: 1.30 is a number; accepted: a string; put it in quotes: "1.30"'],
  [
    "with the advice of a duration, to which quotes would give no unit",
    `${needed}${probes}\n`,
    "3:15 nodeLocalDNS: is not possible with kubeProxyMode: none",
    "3:52 nodeLocalDNS.watchdogThresholds.probeInterval: 600 is not a duration; accepted: 600ms, 30s, 1h30m ..., 100ms",
  ],
])("a problem is reported: %s", (_, text, ...problems) =>
  expect(problemsOf(text)).toEqual(problems.map((each) => expect.stringContaining(`clusters/prod.yaml:${each}`))),
);

describe("a value that YAML reads as something else", () => {
  it("gets no advice to quote it if a string would be wrong too", () => {
    const [problem] = problemsOf(`${needed}authoritativeDNS: {replicas: true}\n`);
    expect(problem).toContain("true is a boolean");
    expect(problem).not.toContain("quotes");
  });

  it("is the text as written if it is a key", () => {
    expect(read(`${needed}labels: {1.10: x}\n`)).toMatchObject({ cluster: { said: { labels: { "1.10": "x" } } } });
  });
});

describe("anything that is not a cluster file", () => {
  it.each([
    ["empty", "", "1:1 is empty; a cluster needs at least clusterDNS and kubeProxyMode"],
    ["comments alone", "# later\n", "1:1 is empty"],
    ["a tab", "clusterDNS:\n\t- 10.96.0.10\n", "2:1 a tab is not allowed as indentation in YAML; use spaces"],
    ["an open bracket", "clusterDNS: [10.96.0.10\nkubeProxyMode: ipvs\n", "2:1 is not valid YAML here: "],
    ["a port", `${needed}upstreamNameservers:\n  - [fd00::1]:53\n`, "4:14 is not valid YAML here; put a server"],
    ["too far", "clusterDNS: [10.96.0.10]\nkubeProxyMode: ipvs\n  ttl: 3\n", "2:16 the next line is indented further"],
    ["a key in a value", "clusterDNS:\n- 10.96.0.10\n kubeProxyMode: ipvs\n", "2:3 is indented as if it continued"],
    ["no colon", "clusterDNS: [10.96.0.10]\nkubeProxyMode ipvs\n", "2:1 a key without a value; it needs a colon"],
    ["a colon, no space", "clusterDNS:[10.96.0.10]\nkubeProxyMode: ipvs\n", "1:1 a space is missing after clusterDNS:"],
    ["no space", `${needed}hostAliases:\n  -ip: 10.1.1.1\n    hostnames: [a]\n`, '4:8 a space is missing after "-"'],
    ["two keys on a line", `${needed}labels: team: net\n`, "3:9 a mapping cannot begin on the line of its key; put"],
    ["a wildcard", `${needed}stubDomains:\n  *.corp.example: [10.0.0.1]\n`, "4:17 an alias of nothing; put"],
    ["of records", `${needed}zones:\n  a.example:\n    records:\n      *.apps: {A: [10.0.0.1]}\n`, "6:7 an alias of"],
    ["@", `${needed}zones:\n  a.example:\n    records:\n      @: {A: [10.0.0.1]}\n`, "6:7 begins with @, which"],
    ["a text with %", `${needed}labels: {a: %b}\n`, "3:13 begins with %, which YAML reserves; put it in quotes"],
    ["escape", `${needed}rewrites: [{match: regex, from: "a\\.b", to: c.d}]\n`, "3:35 is not valid YAML here: Invalid"],
    ["a group", `${needed}rewrites:\n  - match: regex\n    from: (a)b\n    to: {1}.c\n`, "6:12 goes on after"],
    ["a colon within", `${needed}annotations: {a: b: c}\n`, "3:18 a second colon where one key has room; put a text"],
    ["colons", `${needed}upstreamNameservers: ["9.9.9.9", 2001:db8::]\n`, '3:34 upstreamNameservers[1]: {"2001:db8:'],
    ["one side of a merge conflict", `${needed}<<<<<<< HEAD\n`, "3:1 a merge conflict begins here; resolve it"],
    ["documents", `${needed}---\n${needed}`, "3:1 a second document begins here; a cluster file describes one cluster"],
    ["an alias of nothing", `${needed}labels: *none\n`, "3:9 *none has no anchor &none before it"],
    ["an alias in itself", `${needed}labels: &l {a: *l}\n`, "3:16 *l refers to a node that contains it"],
    ["a list as a key", `${needed}? [a]\n: b\n`, "3:3 a list or a mapping as a key; keys are texts"],
    ["Helm's value", "kubeProxyMode: ipvs\nclusterDNS: [{{ .Values.dns }}]\n", "2:15 holds {{, which nothing replaces"],
    ["Helm's condition", `${needed}{{- if .Values.domain }}\n`, "3:1 holds {{, which nothing replaces"],
    ["Jinja's condition", `${needed}{% if domain %}\n`, "3:1 holds {%, which nothing replaces"],
    ["a variable", `${needed}authoritativeDNS: {replicas: ${"${N}"}}\n`, "3:31 holds ${, which nothing replaces"],
    ["a duplicate key", `${needed}labels: {app: a, "app": b}\n`, "3:18 this key is also in line 3; keep one"],
    ["a merge key", `${needed}labels: {<<: {a: b}}\n`, "3:10 is a merge key, which YAML 1.2 does not have; write"],
    ["UTF-16", Buffer.from(`\ufeff${needed}`, "utf16le"), " is not valid UTF-8; save it as UTF-8"],
    ["another encoding", Buffer.from(`${needed}labels: {a: caf\xe9}\n`, "latin1"), " is not valid UTF-8"],
    ["too much", Buffer.alloc(1_100_000, "#"), " has 1100000 bytes; a cluster file may have at most 1048576"],
    ["a set", `${needed}labels: !!set {a, b}\n`, "3:15 has the tag !!set; leave it out"],
    ["an ordered map", `${needed}labels: !!omap [a: b]\n`, "3:16 has the tag !!omap; leave it out"],
    ["binary", `${needed}annotations: {a: !!binary aGVsbG8=}\n`, "3:27 has the tag !!binary; leave it out"],
    ["a time", `${needed}annotations: {a: !!timestamp 2024-01-01}\n`, "3:30 has the tag !!timestamp; leave it out"],
    ["a tag of their own", `${needed}annotations: {a: !foo b}\n`, "3:18 is not valid YAML here: Unresolved tag: !foo"],
    ["a key of several lines", `${needed}labels:\n  ? |\n    a\n    b\n  : x\n`, "4:5 labels.a\\u000ab\\u000a: "],
    ["__proto__ as a key", `${needed}__proto__: {labels: {a: b}}\n`, "3:1 __proto__: unknown key"],
    ["a __proto__", `${needed}labels: {__proto__: b}\n`, '3:10 labels.__proto__: "__proto__" is not a valid key'],
    [
      "what stands in spec",
      `kind: ClusterDNS\nspec: {clusterDNS: [10.96.0.10]}\n`,
      "2:1 has what a cluster file says in",
    ],
    ["an object", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", '2:1 is an object of Kubernetes, "Config'],
    ["a Corefile", ".:53 {\n  errors\n  health {\n    lameduck 5s\n  }\n}\na:53 {\n  whoami\n}\n", "1:1 is a Corefile"],
    ["a key alone", `${needed}labels: {a}\n`, "3:10 labels.a: is empty"],
    ["aliases", `${needed}annotations: {a: &a b}\nlabels: [${"*a, ".repeat(5000)}]\n`, "4:4010 is alias number 1001"],
    ["a conflict", "a: 1\n<<<<<<< a\nb: 1\n=======\nb: 2\n>>>>>>> b\n", "2:1 a merge conflict begins here; resolve it"],
    ["aliases of aliases", bomb(), "7:15 *l5 and the aliases before it stand for 1222227 characters, written out;"],
  ])("%s", (_, text, expected) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`clusters/prod.yaml:${expected}`);
  });

  it.each([
    ["kubeProxyMode\u200b: ipvs\n", "1:1 kubeProxyMode\\u200b: unknown key; did you mean kubeProxyMode?"],
    [`${needed}labels:\n\u00a0\u00a0a: b\n`, "4:1 \\u00a0\\u00a0a: unknown key; accepted here: "],
  ])("shows what nobody sees: %j", (text, expected) => {
    expect(problemsOf(text)).toContainEqual(expect.stringContaining(`clusters/prod.yaml:${expected}`));
  });

  it("for at most as many as anyone reads", () => {
    expect(problemsOf(needed + "<<: 1\n".repeat(5000))).toHaveLength(1000);
  });

  it.each(["- a list\n", "a word\n", "17\n"])("not a mapping: %s", (text) => {
    expect(problemsOf(text)).toEqual([expect.stringMatching(/^clusters\/prod\.yaml:1:1 .*mapping/)]);
  });
});

// A word list makes it likely that the bytes are YAML, and sometimes a cluster file.
const words = fc.constantFrom(
  ...[
    "clusterDNS kubeProxyMode labels 10.96.0.10 ipvs iptables 1.30 __proto__ [ ] { } , : \" ' > # ~ *a".split(" "),
    [": ", "\n", "\n  ", "- ", "&a ", "!!str ", "|\n", "? ", "<<: ", "---\n", "%YAML 1.1\n", "\t", "\ufeff", "\0"],
  ].flat(),
);
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.array(words, { maxLength: 40 }).map((parts) => Buffer.from(parts.join(""))),
  fc.array(words, { maxLength: 20 }).map((parts) => Buffer.from(needed + parts.join(""))),
);

it("any bytes are either a cluster or located problems, and never a crash", () => {
  fc.assert(
    fc.property(bytes, (content) => {
      const result = read(content);
      if ("cluster" in result) return;
      expect(result.problems.length).toBeGreaterThan(0);
      const located = /^clusters\/prod\.yaml:(\d+:\d+)? \S/;
      expect(result.problems.map(formatProblem).filter((each) => !located.test(each))).toEqual([]);
    }),
    { numRuns: runs(2000) },
  );
});

/** Nine levels of ten aliases each: a billion words. */
function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(", ")}]`);
  return ["l0: &l0 x", ...levels].join("\n");
}
