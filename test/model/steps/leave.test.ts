import { expect, it } from "vitest";
import { renderCluster } from "../../../src/charts/render-cluster";
import { clusterOf } from "../../../src/model/cluster/cluster";
import { printCommand } from "../../../src/model/command";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { leave, type LeavingTo } from "../../../src/model/steps/leave";

const agentImage = "registry.example/agent:1";
const facts: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" };

function leaving(props: Partial<ClusterDnsProps>, to: LeavingTo = "kubeadm") {
  const cluster = clusterOf({ ...facts, ...props });
  const { components } = renderCluster(cluster);
  return leave(cluster, { name: "prod", to, file: "clusters/prod.yaml", folder: "dist/prod", components });
}

function ids(...given: Parameters<typeof leaving>): string[] {
  return leaving(...given).map(({ id }) => id);
}

function commands(id: string, ...given: Parameters<typeof leaving>): string[] {
  return leaving(...given).flatMap((step) => (step.id === id ? step.commands.map(printCommand) : []));
}

const end = ["remove-configurations", "forget-cluster"];
const toKubeadm = ["end-controller", "remove-components", "restore-core-dns", "remove-core-dns", ...end];
const argocd = { argocd: { repoURL: "https://git.example/fleet.git" } };
const linkLocal = { interception: "link-local" } as const;

const admission = { allowedUsers: ["admin"] };
const nodeResolver = { services: ["a.b.svc"] };
const whole: Partial<ClusterDnsProps> = { agentImage, nodeLocalDNS: linkLocal, nodeResolver, admission };

it.each<[what: string, props: Partial<ClusterDnsProps>, to: LeavingTo]>([
  ["kubectl", whole, "kubeadm"],
  ["Flux", { ...whole, gitops: { flux: {} } }, "nothing"],
  ["Argo CD, upstream's cache", { gitops: argocd }, "nothing"],
])("says in short sentences what to do, for whoever has no DNS at two in the morning: %s", (_, props, to) => {
  const sentences = leaving(props, to).flatMap(({ text }) => text.split(/(?<=\.) (?=[A-Z])/));
  expect(sentences.length).toBeGreaterThan(8);
  expect(sentences.filter((each) => !/^[A-Z].*\.$/.test(each) || each.split(" ").length > 25)).toEqual([]);
});

const drained = ["configure-kubelets", "restart-pods", "clean-nodes"];

// What a program wrote on nodes stays unless it is removed while the program is still known.
it.each<[what: string, props: Partial<ClusterDnsProps>, first: string[]]>([
  ["a cache at the service IP", { agentImage }, ["clean-nodes"]],
  ["a cache that pods were told of", { agentImage, nodeLocalDNS: linkLocal }, ["drain-cache", ...drained]],
  ["one that drains already", { agentImage, nodeLocalDNS: { ...linkLocal, state: "draining" } }, drained],
  ["nodes that are being cleaned", { agentImage, nodeLocalDNS: { ...linkLocal, state: "removed" } }, ["clean-nodes"]],
  ["upstream's cache", {}, ["remove-cache"]],
  ["hosts files", { agentImage, nodeResolver: { services: ["a.b.svc"] } }, ["clean-hosts-files", "clean-nodes"]],
])("cleans the nodes first: %s", (_, props, first) => expect(ids(props)).toEqual([...first, ...toKubeadm]));

it("has nothing to clean without a cache, and leaves a CoreDNS that is not ours", () => {
  expect(ids({ nodeLocalDNS: { state: "disabled" } })).toEqual(toKubeadm.filter((id) => id !== "remove-components"));
  const first = ["remove-cache", "end-controller", "remove-components"];
  expect(ids({ authoritativeDNS: { kind: "Existing" } })).toEqual([...first, ...end]);
});

it("ends what restores objects before it deletes any, and what protects them before the others", () => {
  const all = ids({ agentImage, admission: { allowedUsers: ["admin"] }, gitops: argocd });
  expect(all).toEqual(["clean-nodes", "end-controller", "remove-admission", ...toKubeadm.slice(1)]);
});

// Kustomizations would delete what they applied.
it("has Flux's Kustomizations leave what they applied", () => {
  const flux = { gitops: { flux: { namespace: "gitops" } } };
  expect(commands("end-controller", flux)).toEqual([
    "kubectl delete kustomization cluster-dns --namespace gitops",
    expect.stringContaining("deletionPolicy: Orphan"),
  ]);
  expect(commands("end-controller", flux).join()).not.toContain("flux-system");
});

it("deletes the Service that a cache without agentImage had, which nothing else does once the file has one", () => {
  expect(commands("remove-components", { agentImage }).join()).toContain("service/kube-dns-upstream");
  expect(commands("remove-components", { nodeLocalDNS: { state: "disabled" } }).join()).not.toContain("upstream");
});

it("never deletes what kubeadm's CoreDNS takes over, nor what has that role if CoreDNS goes", () => {
  const props = { agentImage, authoritativeDNS: { autoscaler: {} }, networkPolicies: true } as const;
  const deleted = (to: LeavingTo) =>
    leaving(props, to).flatMap((step) => step.commands.flatMap(({ args }) => (args[0] === "delete" ? args : [])));
  const [ofDns, rights] = ["deployment/coredns service/kube-dns serviceaccount/coredns", "system:coredns"] as const;
  const taken = [...ofDns.split(" "), `clusterrole/${rights}`, `clusterrolebinding/${rights}`];
  for (const each of taken) {
    expect(deleted("kubeadm")).not.toContain(each);
    expect(deleted("nothing")).toContain(each);
  }
  for (const each of ["deployment/dns-autoscaler", "poddisruptionbudget/coredns", "networkpolicy/coredns"])
    expect(deleted("kubeadm")).toContain(each);
});

// A kustomization that lists a file which was not committed is refused as a whole.
it.each([{}, { gitops: { flux: {} } }])("commits files that are new, before it applies them: %o", (gitops) => {
  const [synth, add, commit] = commands("clean-nodes", { agentImage, ...gitops });
  expect([synth, add, commit]).toEqual([
    "npx cdk8s-cluster-dns synth prod",
    "git add --all clusters/prod.yaml dist/prod",
    expect.stringMatching(/^git commit --message 'DNS of prod'/),
  ]);
});

// Others may answer behind it: its address, which pods ask, goes with it.
it("deletes the Service after CoreDNS, and shows which pods behind it are not ours", () => {
  expect(ids({}, "nothing").slice(-4)).toEqual(["remove-core-dns", "remove-dns-service", ...end]);
  const [shown, ...deleted] = commands("remove-core-dns", {}, "nothing");
  expect(shown).toContain("--selector 'k8s-app=kube-dns,app.kubernetes.io/managed-by!=cdk8s-cluster-dns'");
  expect(deleted.join()).not.toContain("service/kube-dns");
  const deletes = "kubectl delete --ignore-not-found --namespace kube-system service/kube-dns";
  expect(commands("remove-dns-service", {}, "nothing")).toEqual([deletes]);
});

// It fails otherwise: "start version '1.14.7' not supported".
it("has kubeadm migrate no Corefile from our version of CoreDNS", () => {
  const [first, second] = commands("restore-core-dns", {});
  expect(first).toMatch(/^kubectl delete .* configmap coredns$/);
  expect(second).toMatch(/^kubeadm init phase addon coredns /);
});

// `kubectl rollout undo` would start pods of ours, whose ConfigMap is gone.
it("deletes old ReplicaSets along with configurations", () => {
  const deletes = "delete configmap,job,replicaset --namespace kube-system --selector";
  expect(commands("remove-configurations", {})).toEqual([expect.stringContaining(deletes)]);
});

it("deletes the DaemonSet that kubeadm does not know", () => {
  expect(commands("remove-core-dns", { authoritativeDNS: { kind: "DaemonSet" } }).join()).toContain("daemonset/");
});

// kubectl prunes nothing, and the watchdog would set up everything again.
it("deletes the programs on nodes by hand only where no controller prunes them", () => {
  const removes = (props: Partial<ClusterDnsProps>) =>
    commands("clean-nodes", { agentImage, ...props }).some((each) => each.includes("node-local-dns-watchdog"));
  expect([removes({}), removes({ gitops: argocd })]).toEqual([true, false]);
});
