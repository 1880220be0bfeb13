import { expect, it } from "vitest";
import { agentImage, problemsOf } from "./problems";

const searchPath = { nodeDomains: ["corp.example"] };
const tenancy = { tenants: [{ name: "green", namespaces: ["shop"] }] };

it.each<[path: string, says: RegExp, props: object, options?: object]>([
  ["searchPath", /has none/, {}, { state: "disabled" }],
  ["searchPath", /set agentImage/, { agentImage: undefined }],
  ["searchPath", /use engine: coredns/, {}, { engine: "node-cache" }],
  ["searchPath", /1.14.7/, {}, { image: "registry.example/coredns/coredns:v1.14.2" }],
  ["searchPath", /acl in/, {}, { corefile: { otherNames: "acl {\n block net 10.0.0.0/8\n}" } }],
  ["searchPath", /view in/, {}, { corefile: { blocks: "a.example {\n view a {\n expr true\n }\n whoami\n}" } }],
  ["searchPath", /rewrites\[0\] may/, { rewrites: [{ match: "prefix", from: "a", to: "b" }] }],
  ["searchPath", /clusterNames \(any\) may/, { "authoritativeDNS.corefile.clusterNames": "any" }],
  ["searchPath", /zone of pods/, { tenancy, "authoritativeDNS.pods": "disabled" }],
  ["searchPath.nodeDomains", /use \[\]$/, { resolvConf: "", upstreamNameservers: ["10.1.2.3"] }],
  ["searchPath.nodeDomains[0]", /"#"/, {}, { searchPath: { nodeDomains: ["#"] } }],
  ["searchPath.nodeDomains[0]", /cluster domain/, {}, { searchPath: { nodeDomains: ["a.cluster.local"] } }],
  ["searchPath.nodeDomains[1]", /twice/, {}, { searchPath: { nodeDomains: ["a.example", "A.example."] } }],
  ["searchPath.topLevelDomains[1]", /"b.c"/, {}, { searchPath: { nodeDomains: [], topLevelDomains: ["com", "b.c"] } }],
])("%s %s", (path, says, props, options = {}) => {
  const problems = problemsOf({ agentImage, nodeLocalDNS: { searchPath, ...options }, ...props });
  const told = problems.map((each) => each.split(/: (.*)/s).slice(0, 2));
  expect(told).toEqual([[`nodeLocalDNS.${path}`, expect.stringMatching(says)]]);
});

it("is refused beside a mode that has no cache", () => {
  const problems = [/^nodeLocalDNS: is not possible/, /^nodeLocalDNS.searchPath: is walked by a node cache/];
  const found = problemsOf({ agentImage, kubeProxyMode: "none", nodeLocalDNS: { searchPath } });
  expect(found).toEqual(problems.map((each) => expect.stringMatching(each)));
});

it.each([
  ["every interception", { interception: "link-local" }, {}],
  ["Cilium", {}, { kubeProxyMode: "none", cni: "cilium" }],
  ["two families", {}, { clusterDNS: ["10.96.0.10", "fd00:96::a"] }],
  ["a DNS that the cluster has", {}, { authoritativeDNS: { kind: "Existing" } }],
  ["tenants", {}, { tenancy }],
  ["logs", {}, { authoritativeDNS: { corefile: { clusterNames: "log" } } }],
  ["a rule for some names", {}, { rewrites: [{ match: "suffix", from: ".a.svc.cluster.local", to: ".b.example" }] }],
  ["no domains of nodes", { searchPath: { nodeDomains: [] } }, { resolvConf: "", upstreamNameservers: ["10.1.2.3"] }],
])("is accepted with %s", (_, options, props) => {
  expect(problemsOf({ agentImage, nodeLocalDNS: { searchPath, ...options }, ...props })).toEqual([]);
});
