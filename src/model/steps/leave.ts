import type { Cluster } from "../cluster/cluster";
import { removeAfterOf } from "../cluster/node-local-dns";
import { clusterDns, kubectl, type ShellCommand } from "../command";
import { inDocs } from "../docs";
import { defaults } from "../defaults";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { commonLabels, names, namespace } from "../object-names";
import { byHand, type Step } from "./step";

/** Who answers the cluster's names afterwards: CoreDNS as kubeadm installs it, or nobody of ours. */
export type LeavingTo = "kubeadm" | "nothing";

/** The components of a cluster as they are rendered. */
type Components = readonly { readonly name: string; readonly objects: readonly KubernetesObject[] }[];

interface Leaving {
  readonly name: string;
  readonly to: LeavingTo;
  /** The cluster's file, and the folder of its manifests in the repository. */
  readonly file: string;
  readonly folder: string;
  readonly components: Components;
}

/**
 * How a cluster leaves us, in order: first what would stay on nodes, while its programs still run; then whatever
 * restores objects; then the objects. Each step begins once the one before it is done.
 */
export function leave(cluster: Cluster, leaving: Leaving): Step[] {
  return [
    ...leaveHostsFiles(cluster, leaving),
    ...leaveNodes(cluster, leaving),
    ...endController(cluster, leaving),
    ...leaveObjects(cluster, leaving),
    byHand("forget-cluster", "after", `delete ${leaving.file} and ${leaving.folder} in the repository`, {
      program: "git",
      args: ["rm", "-r", leaving.file, leaving.folder],
    }),
  ];
}

/** Lines in hosts files and rules on nodes outlive the programs that wrote them. */
function leaveHostsFiles({ components, gitops }: Cluster, leaving: Leaving): Step[] {
  if (components.nodeResolver === undefined) return [];
  return [
    byHand(
      "clean-hosts-files",
      "before",
      `set nodeResolver: {state: removed} in ${leaving.file}, beside its other options, so that the lines leave each node's hosts file`,
      ...apply(gitops, leaving),
      rolledOut(names.nodeResolver),
      logs(names.nodeResolver, `each node: "lines removed" or "has no line of ours"`),
    ),
  ];
}

function leaveNodes({ components, queryPath, clusterDNS, gitops }: Cluster, leaving: Leaving): Step[] {
  const state = queryPath?.state ?? "disabled";
  if (!queryPath || state === "disabled") return [];
  const { interception, linkMadeBy, linkLocalAddresses } = queryPath;
  const isToldToPods = interception === "link-local";
  const restart = byHand(
    "restart-pods",
    "before",
    `wait until no pod has ${linkLocalAddresses.join(" or ")} in its resolv.conf: restart all workloads that started with it`,
    kubectl("rollout", "restart", "deployment,statefulset,daemonset", "--namespace", "NAMESPACE"),
  );
  const kubelets: Step = {
    ...byHand(
      "configure-kubelets",
      "before",
      `have the kubelets name ${clusterDNS.join(" and ")} again (${inDocs("modes", "Kubelets")})`,
    ),
    by: "kubelet",
  };
  if (linkMadeBy !== "agent")
    return [
      ...(isToldToPods ? [kubelets, restart] : []),
      byHand(
        "remove-cache",
        "before",
        `set nodeLocalDNS: {state: disabled} in ${leaving.file}`,
        ...apply(gitops, leaving),
        ...(gitops ? [] : [remove("daemonset", names.nodeLocalDns)]),
      ),
    ];
  const watched = components.cleanup?.watchSeconds;
  const silence = watched === undefined ? removeAfterOf[interception] : `${watched}s`;
  return [
    ...(isToldToPods && state === "enabled"
      ? [
          byHand(
            "drain-cache",
            "before",
            `set nodeLocalDNS: {state: draining} in ${leaving.file}, beside its other options: the cache goes, and its address leads to the cluster DNS`,
            ...apply(gitops, leaving),
            ...(gitops ? [] : [remove("daemonset", names.nodeLocalDns)]),
          ),
        ]
      : []),
    ...(isToldToPods && state !== "removed" ? [kubelets, restart] : []),
    byHand(
      "clean-nodes",
      "before",
      `set nodeLocalDNS: {state: removed} in ${leaving.file}, beside its other options; a node is clean once its link-local address has been silent for ${silence} (removeAfter)`,
      ...apply(gitops, leaving),
      ...(gitops ? [] : [remove("daemonset", names.nodeLocalDns, names.watchdog)]),
      rolledOut(names.cleanup),
      logs(names.cleanup, `each node: "removed" or "nothing to remove"`),
    ),
  ];
}

/** What restores objects. Neither deletes what it applied; docs/gitops.md says why not. */
function endController({ gitops }: Cluster, { name }: Leaving): Step[] {
  if (gitops?.argocd) {
    const { namespace: where = defaults.argocd.namespace } = gitops.argocd;
    const it = `cluster-dns-${name}`;
    return [
      byHand(
        "end-controller",
        "before",
        "end Argo CD's application, which leaves what it applied, as it has no finalizer",
        kubectl("delete", "application", it, "--namespace", where),
        kubectl("delete", "appproject", it, "--namespace", where),
      ),
    ];
  }
  if (!gitops?.flux)
    return [
      byHand(
        "end-controller",
        "before",
        `if Argo CD or Flux applies this cluster's folder by objects of your own, end these first, so that they leave what they applied (${inDocs("leaving")})`,
      ),
    ];
  const { namespace: where = defaults.flux.namespace } = gitops.flux;
  const others = `kubectl get kustomizations --namespace ${where} --selector kustomize.toolkit.fluxcd.io/name=cluster-dns -o name`;
  const orphan = `kubectl patch "$each" --namespace ${where} --type=merge --patch="spec: {deletionPolicy: Orphan}"`;
  const end = `kubectl delete "$each" --namespace ${where}`;
  return [
    byHand(
      "end-controller",
      "before",
      "end Flux's Kustomizations: the first, which would undo the patch, then the others, which leave what they applied",
      kubectl("delete", "kustomization", "cluster-dns", "--namespace", where),
      { program: "sh", args: ["-c", `for each in $(${others}); do ${orphan} && ${end}; done`] },
    ),
  ];
}

function leaveObjects({ components: settings, queryPath }: Cluster, { to, components }: Leaving): Step[] {
  const objects = components.flatMap((component) => component.objects);
  const admission = objects.filter(({ apiVersion }) => apiVersion.startsWith("admissionregistration.k8s.io/"));
  const coreDns = components.find(({ name }) => name === "authoritative-dns")?.objects ?? [];
  const others = objects.filter((object) => !admission.includes(object) && !coreDns.includes(object));
  return [
    ...removal("remove-admission", "delete what decides at admission, and protects the other objects", admission),
    ...removal("remove-components", "delete the components, except CoreDNS's", [
      ...others.filter(isNamedForGood),
      ...(settings.webhook ? [certificate] : []),
      ...(queryPath?.linkMadeBy === "agent" ? cleanup : []),
    ]),
    ...(settings.authoritativeDns === undefined ? [] : leaveCoreDns(to, coreDns)),
    byHand(
      "remove-configurations",
      "after",
      "delete what has a hash in its name, also of earlier versions, which nothing prunes",
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

/** What cleans nodes comes on the way, if it is not there yet. */
const cleanup: readonly KubernetesObject[] = [
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

function leaveCoreDns(to: LeavingTo, objects: readonly KubernetesObject[]): Step[] {
  if (to === "nothing") {
    const isService = ({ kind, metadata }: KubernetesObject) =>
      kind === "Service" && metadata.name === names.dnsService;
    const others = `k8s-app=kube-dns,${managedBy.replace("=", "!=")}`;
    return [
      ...removal(
        "remove-core-dns",
        `see that pods other than ours are behind Service ${names.dnsService}, or the cluster has no DNS; then delete CoreDNS`,
        objects.filter((object) => isNamedForGood(object) && !isService(object)),
        [kubectl("get", "pods", "--namespace", namespace, "--selector", others, "--output", "wide")],
      ),
      // Its address goes with it, whoever answers behind it.
      ...removal(
        "remove-dns-service",
        `keep Service ${names.dnsService} while pods ask its address; once no kubelet names it, and no pod that started with it is left, delete it`,
        objects.filter(isService),
      ),
    ];
  }
  const surplus = objects.filter((object) => isNamedForGood(object) && !ofKubeadm.has(identity(object)));
  return [
    byHand(
      "restore-core-dns",
      "after",
      "on a control-plane node, have kubeadm install its CoreDNS, which takes the place of ours; dns.disabled must not be set in its configuration. Keep a copy of ConfigMap coredns if its Corefile is your own: kubeadm would migrate it from our version of CoreDNS, which it may not know, and fails then",
      kubectl("delete", "--ignore-not-found", "--namespace", namespace, "configmap", "coredns"),
      {
        program: "kubeadm",
        args: ["init", "phase", "addon", "coredns", "--config", "kubeadm.yaml"],
        comment:
          "kubectl get configmap kubeadm-config -n kube-system -o jsonpath='{.data.ClusterConfiguration}' > kubeadm.yaml",
      },
      kubectl("rollout", "status", "deployment/coredns", "--namespace", namespace),
    ),
    ...removal("remove-core-dns", "delete what kubeadm's CoreDNS does not have", surplus),
  ];
}

const managedBy = `app.kubernetes.io/managed-by=${commonLabels["app.kubernetes.io/managed-by"]}`;

/** Deletes objects by their names, namespace by namespace, so that nothing else goes along. */
function removal(
  id: Step["id"],
  text: string,
  objects: readonly KubernetesObject[],
  first: readonly ShellCommand[] = [],
): Step[] {
  const places = new Map<string | undefined, Set<string>>();
  for (const { kind, metadata } of objects) {
    const all = places.get(metadata.namespace) ?? new Set();
    places.set(metadata.namespace, all.add(`${kind.toLowerCase()}/${metadata.name}`));
  }
  if (places.size === 0) return [];
  const commands = [...places].map(([place, all]) =>
    kubectl("delete", "--ignore-not-found", ...(place === undefined ? [] : ["--namespace", place]), ...all),
  );
  return [byHand(id, "after", text, ...first, ...commands)];
}

/** Whether an object is deleted by its name; configurations and Jobs, whose names have hashes, are deleted by a label. */
function isNamedForGood({ kind, metadata }: KubernetesObject): boolean {
  return (kind !== "ConfigMap" && kind !== "Job") || metadata.namespace !== namespace;
}

/** Commits new files too; `forget-cluster` refuses what was changed and not committed. */
function apply(gitops: Cluster["gitops"], { name, file, folder }: Leaving): ShellCommand[] {
  const git = (...args: string[]): ShellCommand => ({ program: "git", args });
  const commit = git("commit", "--message", `DNS of ${name}`);
  return [
    clusterDns("synth", name),
    git("add", "--all", file, folder),
    ...(gitops
      ? [{ ...commit, comment: "push, and wait until it is applied" }]
      : [commit, kubectl("apply", "--server-side", "--kustomize", folder)]),
  ];
}

function remove(kind: string, ...all: readonly string[]): ShellCommand {
  return kubectl("delete", "--ignore-not-found", "--namespace", namespace, kind, ...all);
}

function rolledOut(daemonSet: string): ShellCommand {
  return kubectl("rollout", "status", `daemonset/${daemonSet}`, "--namespace", namespace);
}

function logs(app: string, comment: string): ShellCommand {
  const args = [
    "logs",
    "--namespace",
    namespace,
    "--selector",
    `k8s-app=${app}`,
    "--tail=1",
    "--prefix",
    "--max-log-requests=100",
  ];
  return { program: "kubectl", args, comment };
}
