import { beforeAll, expect, it } from "vitest";
import { refusal, Scratch } from "./scratch";

const good = "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n";
const scratch = new Scratch();
beforeAll(() => {
  scratch.write("clusters/_defaults.yaml", "kubeProxyMode: ipvs\nagentImage: registry.example/agent:1\n");
  scratch.write("clusters/prod.yaml", "clusterDNS: [10.96.0.10]\nnodeLocalDNS:\n  watchdogThresholds: {failures: 5}\n");
});

it("shows values with where they come from, then the paths of queries", () => {
  const { exitCode, stdout, stderr } = scratch.run("explain", "prod");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(/^clusterDNS: \["10\.96\.0\.10"\] +# clusters\/prod\.yaml:1\n/);
  expect(stdout).toMatch(/^kubeProxyMode: ipvs +# clusters\/_defaults\.yaml:1$/m);
  expect(stdout).toMatch(/^cni: other +# default$/m);
  expect(stdout).toMatch(/^resolvConf: +# default: unchanged$/m);
  expect(stdout).toMatch(/^nodeLocalDNS\.queryLimit: +# default: no limit$/m);
  expect(stdout).toMatch(/^nodeLocalDNS\.watchdogThresholds\.failures: 5 +# clusters\/prod\.yaml:3$/m);
  expect(stdout).toMatch(/^nodeLocalDNS\.removeAfter: +# no effect in this cluster$/m);
  expect(stdout).toContain(`
pod: UDP, TCP
  cache alive        -> 169.254.20.10 -> a socket of the cache listens there -> cache
`);
  expect(stdout).toContain("lost until the kernel has seen queries and no answer for a tenth of a second\n");
});

it("shows only what is set, and what follows from it, with --set", () => {
  const { stdout } = scratch.run("explain", "prod", "--set");
  const [values = ""] = stdout.split("\n\n");
  expect(values.split("\n").map((line) => line.replace(/ {2,}.*/, ""))).toEqual([
    'clusterDNS: ["10.96.0.10"]',
    "kubeProxyMode: ipvs",
    "agentImage: registry.example/agent:1",
    "nodeLocalDNS.interception: link-local",
    "nodeLocalDNS.watchdogThresholds.failures: 5",
  ]);
});

it("shows with --set no defaults of a cache that no mode but Cilium's is needed for", () => {
  scratch.write("cilium/prod.yaml", "clusterDNS: [10.96.0.10]\nkubeProxyMode: none\ncni: cilium\n");
  const { stdout } = scratch.run("explain", "prod", "--set", "--clusters", "cilium");
  expect(stdout).toMatch(/^nodeLocalDNS\.interception: local-redirect +# default$/m);
  expect(stdout).not.toMatch(/^nodeLocalDNS\.(state|cache|askClusterDNS|nodePlacement)|no effect/m);
});

it("shows with --set no defaults of what is switched on, but what follows there from what is set", () => {
  const file = `${good}kubernetesVersion: "1.37"
agentImage: registry.example/agent:1
tenancy: {tenants: [{name: baz, namespaces: [bar]}]}
admission: {allowedUsers: [admin], enforcement: webhook, webhook: {replicas: 2}}
authoritativeDNS: {autoscaler: {max: 6}}
gitops: {argocd: {repoURL: https://git.example/fleet}}
monitoring: {namespace: observability}
resilience: {apiPriority: false}
smokeTest: true
networkPolicies: true
`;
  scratch.write("switched/prod.yaml", file);
  const { stdout } = scratch.run("explain", "prod", "--set", "--clusters", "switched");
  const [values = ""] = stdout.split("\n\n");
  const unset = values.split("\n").filter((line) => !line.includes("# switched/prod.yaml:"));
  scratch.write("existing/prod.yaml", `${good}authoritativeDNS: {kind: Existing}\n`);
  expect(scratch.run("explain", "prod", "--set", "--clusters", "existing").stdout).not.toContain("# default");
  expect(unset).toEqual([expect.stringMatching(/^networkPolicies\.metricsNamespaces: \["observability"\]/)]);
});

it("shows what switches on what has defaults alone", () => {
  const switches = "smokeTest: true\ngitops:\n  flux: {}\nagentImage: registry.example/agent:1\n";
  scratch.write("switches/prod.yaml", `${switches}${good}`);
  const { stdout } = scratch.run("explain", "prod", "--clusters", "switches");
  expect(stdout).toMatch(/^smokeTest: true +# switches\/prod\.yaml:1\nsmokeTest\.outsideName: /m);
  expect(stdout).toMatch(/^gitops\.flux: \{\} +# switches\/prod\.yaml:3\ngitops\.flux\.source\.kind: /m);
  expect(stdout.match(/^networkPolicies: .*$/gm)).toEqual([expect.stringMatching(/# default/)]);
});

it("draws the paths", () => {
  expect(scratch.run("explain", "prod", "--format", "svg").stdout).toMatch(/^<svg [^]*>IPVS<[^]*<\/svg>\n$/);
  expect(scratch.run("explain", "prod", "--format", "mermaid").stdout).toMatch(/^flowchart LR\n[^]*"IPVS"/);
});

it("says what synth notes, beside what is asked for", () => {
  scratch.write("noted/prod.yaml", `${good}size: {nodes: 5000}\nauthoritativeDNS: {replicas: 2}\n`);
  const notesOf = (command: string) =>
    JSON.parse(scratch.run(command, "prod", "--clusters", "noted", "--format", "json").stdout).notes as unknown[];
  expect(notesOf("explain")).not.toEqual([]);
  expect(notesOf("explain")).toEqual(notesOf("synth"));
  const { stdout, stderr } = scratch.run("explain", "prod", "--clusters", "noted", "--format", "svg");
  expect(stdout).toMatch(/^<svg [^]*<\/svg>\n$/);
  expect(stderr).toMatch(/^noted\/prod\.yaml: note: /);
});

it("is JSON for programs", () => {
  const { problems, result } = JSON.parse(scratch.run("explain", "prod", "--format", "json").stdout) as {
    problems: unknown[];
    result: { values: { key: string }[]; paths: unknown[] };
  };
  expect(problems).toEqual([]);
  expect(result.values.find(({ key }) => key === "agentImage")).toEqual({
    key: "agentImage",
    value: "registry.example/agent:1",
    from: { file: "clusters/_defaults.yaml", line: 2, column: 1 },
  });
  const hops: unknown = expect.arrayContaining([{ kind: "services", text: "IPVS" }]);
  expect(result.paths).toContainEqual({ asker: "pod", protocol: "TCP", cache: "dead", hops });
});

it("fails as the other commands do", () => {
  expect(scratch.run("explain", "none")).toEqual(refusal('clusters: has no cluster "none"; it has prod\n'));
  expect(scratch.run("explain")).toEqual(refusal(/: takes one cluster, but got 0; clusters has prod\n$/, 2));
  for (let i = 0; i < 11; i++) scratch.write(`clusters/edge-${i}.yaml`, "");
  expect(scratch.run("explain").stderr).toMatch(/; clusters has edge-0, [^\n]*, edge-8 and 2 more\n$/);
});
