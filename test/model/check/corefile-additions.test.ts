import { describe, expect, it } from "vitest";
import { parseYaml } from "../../../src/config/parse-yaml";
import { resolveFiles } from "../../../src/config/resolve-files";
import type { CorefileAdditions } from "../../../src/model/props/corefile";
import { misfits } from "../corefile/misfits";
import { agentImage, faultyKeys, problemsOf } from "./problems";

/** What is wrong with additions to CoreDNS. */
function faults(corefile: CorefileAdditions): string[] {
  return problemsOf({ agentImage, "authoritativeDNS.corefile": corefile });
}

it("what needs the API server is refused in the cache at once, and not sent to its blocks first", () => {
  expect(problemsOf({ agentImage, "nodeLocalDNS.corefile": { otherNames: "kubernetes a.example" } })).toEqual([
    "nodeLocalDNS.corefile.otherNames: kubernetes asks the API server, which the pods of the cache may not; add it to authoritativeDNS.corefile, in a block of its own",
  ]);
});

describe("additions to a Corefile: what is refused", () => {
  it.each<[message: string, corefile: CorefileAdditions]>([
    ["otherNames: logg is no plugin of CoreDNS v1.14.7; did you mean log?", { otherNames: "logg" }],
    ["otherNames: .:53 begins a server block, and here is the inside of one", { otherNames: ".:53 {\n log\n}" }],
    ["clusterNames: a.example begins a server block, and here", { clusterNames: "a.example {\n whoami\n}" }],
    ["otherNames: toString is no plugin of CoreDNS v1.14.7", { otherNames: "toString" }],
    ["otherNames: bind is set by the mode: where the cache listens and where packet", { otherNames: "bind 127.0.0.1" }],
    ["clusterNames: health is ours: the kubelet's probes ask it", { clusterNames: "health :9999" }],
    ["otherNames: forward cannot be added to a block of ours: use", { otherNames: "forward . 9.9.9.9" }],
    ["otherNames: view cannot be added to a block of ours: write a block", { otherNames: "view a {\n expr true\n}" }],
    ["otherNames: k8s_external needs kubernetes in its block", { otherNames: "k8s_external a.example" }],
    ["otherNames: nsid is already in this block", { otherNames: "nsid a\nnsid b" }],
    ["otherNames: any has 1 arguments", { otherNames: "any x" }],
    ["otherNames: log has no option clas; did you mean class?", { otherNames: "log {\n clas error\n}" }],
    ["otherNames: template: rcode has 0 arguments", { otherNames: "template IN A a.example {\n rcode\n}" }],
    ['otherNames: "{$HOME}" cannot be printed: variables, lone braces and control', { otherNames: "nsid {$HOME}" }],
    ["otherNames: import reads a file, which the pods do not have", { otherNames: "import custom/*" }],
    ['otherNames: geoip reads "/db.mmdb", which the pods do not have', { otherNames: "geoip /db.mmdb" }],
    ["otherNames: braces in more than 16 others", { otherNames: "log {\n".repeat(20_000) + "}\n".repeat(20_000) }],
    ["otherNames: a brace is not closed", { otherNames: "log {\n class all" }],
    ["blocks: cluster.local is answered by a block of ours", { blocks: "cluster.local {\n whoami\n}" }],
    ["blocks: in-addr.arpa is answered by a block of ours", { blocks: "in-addr.arpa {\n whoami\n}" }],
    ["blocks: svc.cluster.local is answered by a block of", { blocks: "Svc.Cluster.local {\n forward . 10.1.1.1\n}" }],
    ["blocks: a.example has a block above", { blocks: "a.example {\n whoami\n}\na.example:53 {\n whoami\n}" }],
    ["blocks: a.example is said twice for this block", { blocks: "a.example A.example. {\n whoami\n}" }],
    ["blocks: tls://a.example is another listener", { blocks: "tls://a.example {\n whoami\n}" }],
    ["blocks: .:5353 is another listener", { blocks: ".:5353 {\n whoami\n}" }],
    ['blocks: forward: "10.96.0.10" is the cluster\'s own DNS:', { blocks: "a.example {\n forward . 10.96.0.10\n}" }],
    ['blocks: forward: "dns.example" is not a server', { blocks: "a.example {\n forward . tls://dns.example\n}" }],
    ["otherNames: dns64 has arguments and options, and", { otherNames: "dns64 64:ff9b::/96 {\n translate_all\n}" }],
    ["otherNames: autopath needs kubernetes in its block", { otherNames: "autopath @kubernetes" }],
  ])("%s", (message, corefile) => expect(faults(corefile)).toEqual([expect.stringContaining(message)]));

  it.each<[what: string, corefile: CorefileAdditions]>([
    ["logs of errors", { clusterNames: "log . {\n class error\n}", otherNames: "log" }],
    ["usual", { blocks: "a.example:53 {\n errors\n cache 30\n forward . 10.1.1.1\n loop\n prometheus :9153\n}" }],
    ["a view", { blocks: "cluster.local {\n view a {\n expr \"client_ip() == '10.1.1.1'\"\n }\n whoami\n}" }],
    ["names of Services for others, beside the plugin that knows them", { clusterNames: "k8s_external a.example" }],
    ["autopath beside the plugin that it asks", { clusterNames: "autopath @kubernetes" }],
    ["servers", { blocks: "a.example {\n forward . /etc/resolv.conf dns.example {\n  resolver 10.1.1.1\n }\n}" }],
    ["a plugin of an image of one's own", { otherNames: "mdns a b {\n c\n}", plugins: ["mdns"] }],
    ["dns64 in both", { otherNames: "dns64 64:ff9b::/96", blocks: "a.example {\n dns64 {\n  translate_all\n }\n}" }],
    ["errors that are gathered", { otherNames: 'errors {\n consolidate 5m ".*"\n}' }],
  ])("but not %s", (_, corefile) => expect(faults(corefile)).toEqual([]));

  it.each(misfits)("%s", (plugin) => {
    expect(faults({ blocks: `a.example {\n${plugin}\n}` })).toEqual([expect.stringContaining(" has ")]);
  });

  it("what imports would multiply beyond any Corefile", () => {
    const snippets = `(a) {\n${"import b\n".repeat(100)}}\n(b) {\n${"log a b c\n".repeat(1000)}}\n`;
    expect(faults({ otherNames: `${snippets}import a` })[0]).toContain("otherNames: import reads a file");
  });

  const [ofCoreDNS, ofCache] = ["authoritativeDNS.corefile", "nodeLocalDNS.corefile"];
  const tenancy = { tenants: [{ name: "a", namespaces: ["b"] }] };
  const tenants = "a.svc.cluster.local {\n whoami\n}";
  const cluster = "a.example {\n kubernetes cluster.local\n}";
  const health = "health.node-local-dns.internal {\n view a {\n expr true\n }\n}";
  const usual = "a.example {\n cache 30\n forward . 10.1.1.1\n loop\n}";
  const existing = { kind: "Existing", corefile: { otherNames: "any" } };
  it.each<[problem: string | undefined, props: object]>([
    ["a.svc.cluster.local is answered by a block of ours", { [`${ofCoreDNS}.blocks`]: tenants, tenancy }],
    [undefined, { [`${ofCache}.blocks`]: tenants, tenancy }],
    ["asks the API", { [`${ofCache}.blocks`]: cluster }],
    ["health.node-local-dns.internal tells the kubelet", { [`${ofCache}.blocks`]: health }],
    ["needs our Corefile", { authoritativeDNS: existing }],
    ["is for a node cache", { nodeLocalDNS: { state: "disabled", corefile: { otherNames: "any" } } }],
    ["any is not in k8s-dns-node-cache", { agentImage: undefined, [`${ofCache}.otherNames`]: "any" }],
    [undefined, { agentImage: undefined, [`${ofCache}.blocks`]: usual }],
  ])("where it has no place, in CoreDNS or in the cache: %s", (problem, props) => {
    expect(problemsOf({ agentImage, ...props })).toEqual(problem ? [expect.stringContaining(problem)] : []);
  });

  it("beside a zone that lacks its servers", () => {
    const zones = { "a.example": { forward: {} } };
    const faulty = faultyKeys({ agentImage, zones, "authoritativeDNS.corefile": { otherNames: "log" } });
    expect(faulty).toEqual(["zones.a.example.forward.servers"]);
  });

  it("a second plugin, though the first is ours in other words", () => {
    const corefile = { clusterNames: "cache {\n success 9984 30\n denial 9984 5\n}" };
    expect(problemsOf({ agentImage, nodeLocalDNS: { corefile } })).toEqual([]);
    expect(problemsOf({ agentImage, nodeLocalDNS: { corefile, cache: { prefetch: { amount: 3 } } } })[0]).toMatch(
      /cache cannot be added to a block of ours/,
    );
  });

  it("each at its line of the cluster file", () => {
    const text = `clusterDNS: [10.96.0.10]
kubeProxyMode: iptables
authoritativeDNS:
  corefile:
    otherNames: |
      log

      lgo {
        class all
      }
    clusterNames: "any x"
`;
    expect(resolveFiles([parseYaml("a.yaml", text)])).toMatchObject({
      problems: [{ position: { line: 8, column: 7 } }, { position: { line: 11, column: 20 } }],
    });
  });
});
