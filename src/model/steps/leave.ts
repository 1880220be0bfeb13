import type { Cluster } from "../cluster/cluster";
import { removeAfterOf } from "../cluster/node-local-dns";
import { clusterDns, kubectl, type ShellCommand } from "../command";
import { inDocs } from "../docs";
import { applierOf } from "../gitops/objects";
import { type ComponentObjects, identity, type KubernetesObject } from "../kubernetes/object";
import { commonLabels, names, namespace } from "../object-names";
import { grouped } from "../syntax/grouped";
import { dense, type Sparse } from "../syntax/sparse";
import { byHand, type Step } from "./step";

/** Who answers the cluster's names afterwards: CoreDNS as kubeadm installs it, or nobody of ours. */
export type LeavingTo = "kubeadm" | "nothing";

interface Leaving {
  readonly name: string;
  readonly to: LeavingTo;
  /** The cluster's file, and the folder of its manifests in the repository. */
  readonly file: string;
  readonly folder: string;
  readonly components: readonly ComponentObjects[];
}

/** First what would stay on nodes, while its programs still run; then whatever restores objects; then the objects. */
export function leave(cluster: Cluster, leaving: Leaving): Step[] {
  return dense([
    leaveHostsFiles(cluster, leaving),
    leaveNodes(cluster, leaving),
    beforehand("end-controller", ...applierOf(cluster.said.gitops).end(leaving.name)),
    leaveObjects(cluster, leaving),
    byHand("forget-cluster", "after", `Delete ${leaving.file} and ${leaving.folder} in the repository.`, {
      program: "git",
      args: ["rm", "-r", leaving.file, leaving.folder],
    }),
  ]);
}

function beforehand(id: Step["id"], text: string, ...commands: readonly ShellCommand[]): Step {
  return byHand(id, "before", text, ...commands);
}

/** Lines in hosts files and rules on nodes outlive the programs that wrote them. */
function leaveHostsFiles({ components, said }: Cluster, leaving: Leaving): Sparse<Step> {
  return (
    components.nodeResolver !== undefined &&
    beforehand(
      "clean-hosts-files",
      `Set nodeResolver: {state: removed} in ${leaving.file}, beside its other options. Each node then takes our lines out of its hosts file.`,
      ...apply(said, leaving),
      rolledOut(names.nodeResolver),
      logs(names.nodeResolver, `each node: "lines removed" or "has no line of ours"`),
    )
  );
}

function leaveNodes({ said, components, queryPath }: Cluster, leaving: Leaving): Sparse<Step> {
  const state = queryPath?.state ?? "disabled";
  if (!queryPath || state === "disabled") return [];
  const { interception, linkMadeBy, linkLocalAddresses } = queryPath;
  const isToldToPods = interception === "link-local";
  const restart = beforehand(
    "restart-pods",
    `Restart every workload that started with the cache's address. Go on once no pod has ${linkLocalAddresses.join(" or ")} in its resolv.conf.`,
    kubectl("rollout", "restart", "deployment,statefulset,daemonset", "--namespace", "NAMESPACE"),
  );
  const kubelets: Step = {
    ...beforehand(
      "configure-kubelets",
      `Set clusterDNS: [${said.clusterDNS.join(", ")}] for each kubelet (${inDocs("modes", "Kubelets")}). Pods that start from then on ask the cluster DNS.`,
    ),
    by: "kubelet",
  };
  if (linkMadeBy !== "agent")
    return [
      isToldToPods && [kubelets, restart],
      beforehand(
        "remove-cache",
        `Set nodeLocalDNS: {state: disabled} in ${leaving.file}.${linkMadeBy ? " As it ends, the cache takes its link and rules away." : ""}`,
        ...apply(said, leaving, names.nodeLocalDns),
      ),
    ];
  const watched = components.cleanup?.watchSeconds;
  const silence = watched === undefined ? removeAfterOf[interception] : `${watched}s`;
  return [
    isToldToPods &&
      state === "enabled" &&
      beforehand(
        "drain-cache",
        `Set nodeLocalDNS: {state: draining} in ${leaving.file}, beside its other options. The cache goes. Its address then leads to the cluster DNS.`,
        ...apply(said, leaving, names.nodeLocalDns),
      ),
    isToldToPods && state !== "removed" && [kubelets, restart],
    beforehand(
      "clean-nodes",
      `Set nodeLocalDNS: {state: removed} in ${leaving.file}, beside its other options. Our link and rules leave a node once nobody has asked its link-local address for ${silence} (removeAfter).`,
      ...apply(said, leaving, names.nodeLocalDns, names.watchdog),
      rolledOut(names.cleanup),
      logs(names.cleanup, `each node: "removed" or "nothing to remove"`),
    ),
  ];
}

function leaveObjects({ components: settings, queryPath }: Cluster, { to, components }: Leaving): Sparse<Step> {
  const objects = components.flatMap((component) => component.objects);
  const admission = objects.filter(({ apiVersion }) => apiVersion.startsWith("admissionregistration.k8s.io/"));
  const coreDns = components.find(({ name }) => name === "authoritative-dns")?.objects ?? [];
  const others = objects.filter((object) => !admission.includes(object) && !coreDns.includes(object));
  return [
    removal(
      "remove-admission",
      "Delete what decides at admission. It protects the other objects, so it goes before them.",
      admission,
    ),
    removal("remove-components", "Delete the components, except CoreDNS.", [
      others.filter(isNamedForGood),
      settings.webhook && certificate,
      queryPath?.linkMadeBy === "agent" && cleanup,
    ]),
    settings.authoritativeDns && leaveCoreDns(to, coreDns),
    byHand(
      "remove-configurations",
      "after",
      "Delete what has a hash in its name, of this version and of earlier ones. Nothing else prunes these objects.",
      kubectl("delete", "configmap,job,replicaset", "--namespace", namespace, "--selector", managedBy),
    ),
  ];
}

/** The webhook, or cert-manager, makes it. */
const certificate: KubernetesObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: names.webhook, namespace },
};

/** What cleans nodes comes on the way, if it is not there yet; the Service may be left from before `agentImage`. */
const cleanup: readonly KubernetesObject[] = [
  { apiVersion: "v1", kind: "Service", metadata: { name: names.upstreamService, namespace } },
  { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: names.cleanup, namespace } },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: names.cleanup, namespace } },
];

/** What kubeadm's CoreDNS consists of, with the same names: kubeadm changes ours in place. */
const ofKubeadm: ReadonlySet<string> = new Set([
  "Deployment kube-system/coredns",
  "Service kube-system/kube-dns",
  "ServiceAccount kube-system/coredns",
  "ClusterRole system:coredns",
  "ClusterRoleBinding system:coredns",
]);

function leaveCoreDns(to: LeavingTo, objects: readonly KubernetesObject[]): Sparse<Step> {
  if (to === "nothing") {
    const isService = ({ kind, metadata }: KubernetesObject) =>
      kind === "Service" && metadata.name === names.dnsService;
    const others = `k8s-app=kube-dns,${managedBy.replace("=", "!=")}`;
    return [
      removal(
        "remove-core-dns",
        `See that Service ${names.dnsService} has pods that are not ours: the first command lists them. Without any, the cluster would have no DNS. Then delete CoreDNS.`,
        objects.filter((object) => isNamedForGood(object) && !isService(object)),
        kubectl("get", "pods", "--namespace", namespace, "--selector", others, "--output", "wide"),
      ),
      // Its address goes with it, whoever answers behind it.
      removal(
        "remove-dns-service",
        `Delete Service ${names.dnsService} once no kubelet names its address, and no pod is left that started with it. The address goes with the Service.`,
        objects.filter(isService),
      ),
    ];
  }
  const surplus = objects.filter((object) => isNamedForGood(object) && !ofKubeadm.has(identity(object)));
  return [
    byHand(
      "restore-core-dns",
      "after",
      "Have kubeadm install its CoreDNS, on a control-plane node. Its pods replace ours by a rollout. First keep a copy of ConfigMap coredns, if its Corefile is your own. If the ConfigMap stayed, kubeadm would migrate its Corefile, and fail if it does not know our version of CoreDNS. In kubeadm's configuration, dns.disabled must not be set.",
      kubectl("delete", "--ignore-not-found", "--namespace", namespace, "configmap", "coredns"),
      {
        program: "kubeadm",
        args: ["init", "phase", "addon", "coredns", "--config", "kubeadm.yaml"],
        comment:
          "kubectl get configmap kubeadm-config -n kube-system -o jsonpath='{.data.ClusterConfiguration}' > kubeadm.yaml",
      },
      kubectl("rollout", "status", "deployment/coredns", "--namespace", namespace),
    ),
    removal("remove-core-dns", "Delete what kubeadm's CoreDNS does not have.", surplus),
  ];
}

const managedBy = `app.kubernetes.io/managed-by=${commonLabels["app.kubernetes.io/managed-by"]}`;

/** Deletes objects by their names, namespace by namespace, so that nothing else goes along. */
function removal(
  id: Step["id"],
  text: string,
  objects: Sparse<KubernetesObject>,
  ...first: readonly ShellCommand[]
): Step | undefined {
  const places = grouped(dense(objects), ({ metadata }) => metadata.namespace);
  if (places.length === 0) return undefined;
  const commands = places.map(([place, all]) => {
    const there = all.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`);
    const of = place === undefined ? [] : ["--namespace", place];
    return kubectl("delete", "--ignore-not-found", ...of, ...new Set(there));
  });
  return byHand(id, "after", text, ...first, ...commands);
}

/** Whether an object is deleted by its name; configurations and Jobs, whose names have hashes, are deleted by a label. */
function isNamedForGood({ kind, metadata }: KubernetesObject): boolean {
  return (kind !== "ConfigMap" && kind !== "Job") || metadata.namespace !== namespace;
}

/** Commits new files too. @param pruned DaemonSets that a controller deletes by itself. */
function apply(
  { gitops }: Cluster["said"],
  { name, file, folder }: Leaving,
  ...pruned: readonly string[]
): ShellCommand[] {
  const git = (...args: string[]): ShellCommand => ({ program: "git", args });
  const commit = git("commit", "--message", `DNS of ${name}`);
  const remove = kubectl("delete", "--ignore-not-found", "--namespace", namespace, "daemonset", ...pruned);
  return [
    clusterDns("synth", name),
    git("add", "--all", file, folder),
    ...(gitops
      ? [{ ...commit, comment: "push, and wait until it is applied" }]
      : [
          commit,
          kubectl("apply", "--server-side", "--force-conflicts", "--kustomize", folder),
          ...(pruned.length > 0 ? [remove] : []),
        ]),
  ];
}

function rolledOut(daemonSet: string): ShellCommand {
  return kubectl("rollout", "status", `daemonset/${daemonSet}`, "--namespace", namespace);
}

function logs(app: string, comment: string): ShellCommand {
  const pods = ["--namespace", namespace, "--selector", `k8s-app=${app}`];
  return { ...kubectl("logs", ...pods, "--tail=1", "--prefix", "--max-log-requests=100"), comment };
}
