import { describe, expect, it } from "vitest";
import { resolve } from "../../../src/model/check/resolve";
import { coreDns, corefile, inKubeSystem, kubeadm, taken, without } from "./objects";

describe("CoreDNS's pods", () => {
  it("differ from ours in what they lose", () => {
    const spread = { maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" };
    const workload = coreDns({
      hostNetwork: true,
      hostPID: false,
      dnsPolicy: "None",
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 5, podAffinityTerm: { topologyKey: "kubernetes.io/hostname" } },
          ],
        },
      },
      topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: { "k8s-app": "kube-dns" } } }],
      initContainers: [{ name: "wait" }],
      containers: [
        {
          name: "coredns",
          image: "rancher/coredns:1.12.3",
          args: ["-conf", "/etc/coredns/Corefile"],
          env: [{ name: "GOGC" }, { name: "GOMEMLIMIT" }],
          lifecycle: { preStop: {} },
          terminationMessagePolicy: "File",
        },
        { name: "sidecar" },
      ],
      volumes: [
        { name: "coredns", configMap: { name: "coredns" } },
        { name: "zones", hostPath: {} },
      ],
      nodeSelector: { dns: "yes" },
    });
    const found = taken([...without("Deployment"), workload]);
    expect(found.own["authoritativeDNS"]).toEqual({ nodePlacement: { nodeSelector: { dns: "yes" } } });
    expect(found.new).toContain("CoreDNS 1.14.7, in place of 1.12.3");
    expect(found.different.map((what) => what.replace("Deployment coredns: ", ""))).toEqual([
      expect.stringMatching(
        /^image rancher\/coredns:1\.12\.3; ours: registry\.k8s\.io\/coredns\/coredns:v1\.14\.7: set imageRegistry/,
      ),
      'dnsPolicy "None"; ours: "Default"',
      "hostNetwork true",
      'topologySpreadConstraints.topology.kubernetes.io/zone.whenUnsatisfiable "DoNotSchedule"; ours: "ScheduleAnyway"',
      "container wait",
      "container sidecar",
      "volume zones",
      'lifecycle {"preStop":{}}',
      "env GOGC",
    ]);
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
  const scaler = inKubeSystem("Deployment", "coredns-autoscaler", {
    spec: {
      template: {
        spec: {
          containers: [
            {
              name: "a",
              image: "cpa/cluster-proportional-autoscaler:1",
              args: ["--target=Deployment/coredns", "--configmap=coredns-autoscaler", `--default-params=${params}`],
            },
          ],
        },
      },
    },
  });
  const target = { scaleTargetRef: { kind: "Deployment", name: "coredns" } };
  const [cpu, memory] = ["cpu", "memory"].map((name) => ({
    type: "Resource",
    resource: { name, target: { type: "Utilization", averageUtilization: 60 } },
  }));
  const budget = { selector: { matchLabels: { "k8s-app": "kube-dns" } } };
  it.each<[what: string, object: object, authoritativeDNS: object | undefined, todo: string[]]>([
    [
      "an autoscaler",
      scaler,
      { autoscaler: { coresPerReplica: 128, min: 3 } },
      ["Deployment coredns-autoscaler: delete it once ours runs"],
    ],
    [
      "a HorizontalPodAutoscaler",
      inKubeSystem("HorizontalPodAutoscaler", "dns", { spec: { ...target, maxReplicas: 5, metrics: [cpu, memory] } }),
      { autoscaler: { mode: "horizontal", min: 1, max: 5, cpuUtilization: 60 } },
      [
        "HorizontalPodAutoscaler dns: ours goes by CPU alone",
        "HorizontalPodAutoscaler dns: delete it before ours is applied: with two, neither scales",
      ],
    ],
    [
      "the HorizontalPodAutoscaler that ours replaces",
      inKubeSystem("HorizontalPodAutoscaler", "coredns", { spec: { ...target, minReplicas: 3, maxReplicas: 9 } }),
      { autoscaler: { mode: "horizontal", min: 3, max: 9 } },
      [],
    ],
    [
      "a second budget",
      inKubeSystem("PodDisruptionBudget", "dns", { spec: budget }),
      undefined,
      [
        "PodDisruptionBudget dns: a second budget for CoreDNS's pods, with which the API server refuses every eviction: delete it before ours is applied",
      ],
    ],
    ["the budget that ours replaces", inKubeSystem("PodDisruptionBudget", "coredns", { spec: budget }), undefined, []],
  ])("may have %s", (_, object, authoritativeDNS, todo) => {
    const found = taken([...kubeadm(), object]);
    expect([found.own["authoritativeDNS"], found.todo]).toEqual([authoritativeDNS, todo]);
  });

  it("may have a Corefile that a program writes", () => {
    expect(taken(kubeadm(`#start AUTO-GENERATED. DO NOT EDIT\n${corefile()}`)).todo).toEqual([
      'ConfigMap coredns: a program writes it ("#start AUTO-GENERATED. DO NOT EDIT"), and will not write that of ours',
    ]);
  });
});
