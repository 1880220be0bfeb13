import { expect, it } from "vitest";
import { resolve } from "../../../src/model/check/resolve";
import { coreDns, corefile, inKubeSystem, kubeadm, taken, without } from "./objects";

const named = { name: "coredns", image: "rancher/coredns:1.12.3", args: ["-conf", "/etc/coredns/Corefile"] };
const own = (fields: object, ...others: object[]) => ({ containers: [{ ...named, ...fields }, ...others] });
const zonal = { maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" };
const ofDns = { labelSelector: { matchLabels: { "k8s-app": "kube-dns" } } };
const zones = [
  { name: "coredns", configMap: { name: "coredns" } },
  { name: "zones", hostPath: {} },
];
const inZones = "topologySpreadConstraints.topology.kubernetes.io/zone.whenUnsatisfiable";
it.each<[lost: string | undefined, fields: object]>([
  ['dnsPolicy "None"; ours: "Default"', { dnsPolicy: "None" }],
  ["hostNetwork true", { hostNetwork: true }],
  [undefined, { hostPID: false }],
  [`${inZones} "DoNotSchedule"; ours: "ScheduleAnyway"`, { topologySpreadConstraints: [{ ...zonal, ...ofDns }] }],
  ["container wait", { initContainers: [{ name: "wait" }] }],
  ["container sidecar", own({}, { name: "sidecar" })],
  ["volume zones", { volumes: zones }],
  ['lifecycle {"preStop":{}}', own({ lifecycle: { preStop: {} } })],
  ["env GOGC", own({ env: [{ name: "GOGC" }, { name: "GOMEMLIMIT" }] })],
  [undefined, own({ terminationMessagePolicy: "File" })],
])("differ from ours in what they lose: %s", (lost, fields) => {
  const { different } = taken([...without("Deployment"), coreDns({ ...own({}), ...fields })]);
  const image = expect.stringMatching(
    /^image rancher\/coredns:1\.12\.3; ours: .*:v1\.14\.7: set imageRegistry/,
  ) as unknown;
  const found = different.map((what) => what.replace("Deployment coredns: ", ""));
  expect(found).toEqual([image, ...(lost === undefined ? [] : [lost])]);
});

it("keep their nodes, and get another version", () => {
  const found = taken([...without("Deployment"), coreDns({ ...own({}), nodeSelector: { dns: "yes" } })]);
  expect(found.own["authoritativeDNS"]).toEqual({ nodePlacement: { nodeSelector: { dns: "yes" } } });
  expect(found.new).toContain("CoreDNS 1.14.7, in place of 1.12.3");
});

const [required, preferred] = ["required", "preferred"].map((how) => `${how}DuringSchedulingIgnoredDuringExecution`);
const byHost = { topologyKey: "kubernetes.io/hostname" };
const byZone = { topologyKey: "topology.kubernetes.io/zone" };
const wished = (podAffinityTerm: object) => ({ [`${preferred}`]: [{ weight: 5, podAffinityTerm }] });
it.each<[what: string, affinity: object, lost: string[]]>([
  ["wish to avoid each other's nodes", { podAntiAffinity: wished(byHost) }, []],
  ["must", { podAntiAffinity: { [`${required}`]: [byHost] } }, [`podAntiAffinity.${required}`]],
  ["both", { podAntiAffinity: { ...wished(byHost), [`${required}`]: [byHost] } }, [`podAntiAffinity.${required}`]],
  ["wish to avoid each other's zones", { podAntiAffinity: wished(byZone) }, [`podAntiAffinity.${preferred}`]],
  ["choose nodes", { nodeAffinity: { [`${required}`]: {} }, podAntiAffinity: wished(byHost) }, ["nodeAffinity"]],
])("lose their affinity only if ours has it not in other words: they %s", (_, affinity, lost) => {
  const { different } = taken([...without("Deployment"), coreDns({ affinity })]);
  const found = different.flatMap((what) => /affinity\.(\S+?)(\[|\.topology| )/.exec(what)?.[1] ?? []);
  expect([...new Set(found)]).toEqual(lost);
});

it.each<[image: string, registry: string | undefined]>([
  ["mirror.example:5000/k8s/coredns/coredns:v1.11.3", "mirror.example:5000/k8s"],
  ["k8s.gcr.io/coredns/coredns:v1.8.6", undefined],
  ["docker.io/coredns/coredns:1.11.3", undefined],
])("come from a mirror only if it has the layout of one: %s", (image, registry) => {
  const workload = JSON.parse(JSON.stringify(coreDns()).replace(/registry\.k8s\.io\/[^"]*/, image)) as object;
  expect(taken([...without("Deployment"), workload]).own["imageRegistry"]).toBe(registry);
});

it("have no resources in the file if they are our defaults", () => {
  const { cluster } = resolve({ clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" });
  const resources = cluster?.components.authoritativeDns?.resources;
  const workload = coreDns({ containers: [{ name: "coredns", resources }] });
  expect(taken([...without("Deployment"), workload]).own).toEqual({ kubeProxyMode: "iptables" });
});

const params = '{"linear":{"coresPerReplica":128,"nodesPerReplica":16,"min":3}}';
const args = ["--target=Deployment/coredns", "--configmap=coredns-autoscaler", `--default-params=${params}`];
const containers = [{ name: "a", image: "cpa/cluster-proportional-autoscaler:1", args }];
const scaler = inKubeSystem("Deployment", "coredns-autoscaler", { spec: { template: { spec: { containers } } } });
const target = { scaleTargetRef: { kind: "Deployment", name: "coredns" } };
const utilization = { type: "Utilization", averageUtilization: 60 };
const metrics = ["cpu", "memory"].map((name) => ({ type: "Resource", resource: { name, target: utilization } }));
const hpa = (name: string, spec: object) =>
  inKubeSystem("HorizontalPodAutoscaler", name, { spec: { ...target, ...spec } });
const budget = (name: string) =>
  inKubeSystem("PodDisruptionBudget", name, { spec: { selector: { matchLabels: { "k8s-app": "kube-dns" } } } });
const ofMode = (min: number, max: number) => ({ autoscaler: { mode: "horizontal", min, max } });
it.each<[what: string, object: object, authoritativeDNS: object | undefined, todo: string[]]>([
  ["an autoscaler", scaler, { autoscaler: { coresPerReplica: 128, min: 3 } }, ["coredns-autoscaler: delete it once"]],
  [
    "a HorizontalPodAutoscaler",
    hpa("dns", { maxReplicas: 5, metrics }),
    { autoscaler: { ...ofMode(1, 5).autoscaler, cpuUtilization: 60 } },
    ["dns: ours goes by CPU alone", "dns: delete it before ours is applied: with two"],
  ],
  ["one that ours replaces", hpa("coredns", { minReplicas: 3, maxReplicas: 9 }), ofMode(3, 9), []],
  ["a second budget", budget("dns"), undefined, ["PodDisruptionBudget dns: a second budget for CoreDNS's pods"]],
  ["the budget that ours replaces", budget("coredns"), undefined, []],
])("may have %s", (_, object, authoritativeDNS, todo) => {
  const found = taken([...kubeadm(), object]);
  expect(found.own["authoritativeDNS"]).toEqual(authoritativeDNS);
  expect(found.todo).toEqual(todo.map((each): unknown => expect.stringContaining(each)));
});

it("may have a Corefile that a program writes", () => {
  expect(taken(kubeadm(`#start AUTO-GENERATED. DO NOT EDIT\n${corefile()}`)).todo).toEqual([
    'ConfigMap coredns: a program writes it ("#start AUTO-GENERATED. DO NOT EDIT"), and will not write that of ours',
  ]);
});
