import type { ConfigMap, PodSpec, Service, Workload } from "../kubernetes/kinds";
import { differences } from "../kubernetes/differences";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { isCurrent, mountedConfigMaps } from "../kubernetes/pods";
import { isOurs, names } from "../object-names";
import { show } from "../syntax/show";
import { covers, type Drift, drift, isSame, lacking } from "./drift";
import { type Finding, finding, some } from "./finding";
import type { FindingId } from "./findings";
import { mendService } from "./mend-service";
import type { ClusterState } from "../running/cluster-state";
import { applying, type Described, inOurNamespace, rendered, renderedObjects, running, systemPods } from "./described";
import { kubectl, type Step } from "./steps";
import { stillInUse } from "./still-in-use";

/** Objects that the cluster lacks, has otherwise, or has no more use for, by the cluster file. */
export function notAsDescribed(state: ClusterState, described?: Described): Finding[] {
  if (!described) return [];
  // A dashboard may be elsewhere, where nothing is read.
  const objects = renderedObjects(described).filter(inOurNamespace);
  const all = drift(objects, (kind) => running(state, kind));
  const missing = all.filter((each) => !each.live && !isNotAppliedYet(each.wanted, state, described));
  return [
    ...missingTogether(missing, described),
    ...all.flatMap((each) => (each.live ? ofFields(each.live, each, state, described) : [])),
    ...leftAlone(state, described),
  ];
}

const access: ReadonlySet<string> = new Set([
  "ServiceAccount",
  "ClusterRole",
  "ClusterRoleBinding",
  "Role",
  "RoleBinding",
]);

/** Whether names depend on it. Of a headless Service, only metrics do; of a ConfigMap that nobody mounts, nothing. */
function isNeeded(wanted: KubernetesObject, described: Described): boolean {
  if (wanted.kind === "Service") return (wanted as Service).spec.clusterIP !== "None";
  return wanted.kind !== "ConfigMap" || usersOf(wanted, described).length > 0;
}

function usersOf({ metadata }: KubernetesObject, described: Described): Workload[] {
  return rendered<Workload>(described, "Deployment", "DaemonSet").filter(({ spec }) =>
    mountedConfigMaps(spec.template.spec).includes(metadata.name),
  );
}

/** Of a cluster to which nothing was applied, all are missing: that is one finding for each severity. */
function missingTogether(missing: readonly Drift[], described: Described): Finding[] {
  const of = (id: FindingId, each: readonly KubernetesObject[], evidence: string): Finding[] => {
    const where = each.map(identity);
    if (where.length < 4) return where.map((one) => finding(id, one, [evidence], applying(described)));
    return [finding(id, `${where.length} objects`, [evidence, where.join(", ")], applying(described))];
  };
  const objects = missing.map(({ wanted }) => wanted);
  const others = objects.filter(({ kind }) => !access.has(kind));
  const needed = others.filter((each) => isNeeded(each, described));
  const told = "the cluster file renders it, the cluster does not have it";
  return [
    ...of(
      "rights",
      objects.filter(({ kind }) => access.has(kind)),
      `${told}: pods fail at their next restart`,
    ),
    ...of("missing", needed, told),
    ...of(
      "missing-aside",
      others.filter((each) => !needed.includes(each)),
      told,
    ),
  ];
}

/** That its workload runs with another configuration says all: the cluster file was changed, and not applied yet. */
function isNotAppliedYet(wanted: KubernetesObject, state: ClusterState, described: Described): boolean {
  const users = usersOf(wanted, described);
  if (wanted.kind !== "ConfigMap" || users.length === 0) return false;
  const { workloads = users } = state;
  const mounts = (spec: PodSpec) => mountedConfigMaps(spec).includes(wanted.metadata.name);
  const isMounted =
    workloads.some(({ spec }) => mounts(spec.template.spec)) ||
    systemPods(state).some((pod) => isCurrent(pod) && mounts(pod.spec));
  return !isMounted && users.some((each) => workloads.some((live) => live.kind === each.kind && isSame(live, each)));
}

/** The finding that a field of a workload is; of other kinds, all fields are one. */
const ofWorkload: { readonly [field: string]: FindingId } = {
  replicas: "scaled-down",
  configMaps: "other-configuration",
  memory: "low-memory-limit",
};

function ofFields(live: KubernetesObject, one: Drift, state: ClusterState, described: Described): Finding[] {
  const { wanted, fields } = one;
  const evidence = fields.flatMap(({ name, is, says }) => (told[name] ?? otherwise(name))(is, says));
  const apply = applying(described);
  const look = kubectl`get ${wanted.kind.toLowerCase()} ${wanted.metadata.name} ${ofNamespace(wanted)} -o yaml`;
  if (access.has(wanted.kind)) return [finding("rights", identity(wanted), evidence, [look, ...apply])];
  if (wanted.kind === "Deployment" || wanted.kind === "DaemonSet")
    return (
      fields
        // A cluster DNS without any replica is told of with its pods.
        .filter(({ name, is }) => !(name === "replicas" && is === 0 && wanted.metadata.name === names.authoritativeDns))
        .map(({ name, is, says }) =>
          finding(
            ofWorkload[name] ?? "differs",
            identity(wanted),
            (told[name] ?? otherwise(name))(is, says),
            name === "replicas" && described.cluster.components.authoritativeDns?.autoscaler
              ? [kubectl`scale deployment ${wanted.metadata.name} ${ofNamespace(wanted)} --replicas=${String(says)}`]
              : apply,
          ),
        )
    );
  const id = isNeeded(wanted, described) ? "differs" : "differs-aside";
  if (wanted.kind === "Service") {
    const mend = mendService(live as Service, wanted as Service, fields, state, apply);
    return [finding(id, identity(wanted), [...evidence, ...mend.evidence], [look, ...mend.next])];
  }
  // One that is immutable has the hash of its content in its name: somebody deleted and recreated it.
  const recreate: Step[] = (wanted as ConfigMap).immutable
    ? [kubectl`delete configmap ${wanted.metadata.name} ${ofNamespace(wanted)}`]
    : [];
  return [finding(id, identity(wanted), evidence, [look, ...apply.slice(0, -1), ...recreate, ...apply.slice(-1)])];
}

function ofNamespace({ metadata: { namespace } }: KubernetesObject): string {
  return namespace === undefined ? "" : `--namespace=${namespace}`;
}

function otherwise(name: string): (is: unknown, says: unknown) => string[] {
  return (is, says) => [`${name} is ${show(is)}, the cluster file renders ${show(says)}`];
}

const told: { readonly [field: string]: (is: unknown, says: unknown) => string[] } = {
  data: (is, says) =>
    differences(is, says).map(
      ({ path, before, after }) => `${path.join(".")}: ${firstDifference(String(before), String(after))}`,
    ),
  configMaps: (is, says) => [
    `it mounts ${some(is as string[]) || "none"}, the cluster file renders ${some(says as string[]) || "none"}: an earlier version, or changed by hand`,
  ],
  memory: (is, says) =>
    differences(is, says)
      .filter(({ before, after }) => before !== undefined && after !== undefined)
      .map(
        ({ path, before, after }) =>
          `container ${path[0]} may use ${String(before)}, the cluster file renders ${String(after)}`,
      ),
  rules: (is, says) => [`lacks ${some(lacking(is, says, covers))}`],
  subjects: (is, says) => [`is not for ${some(lacking(is, says))}`],
};

function firstDifference(is: string, wanted: string): string {
  const [a, b] = [is.split("\n"), wanted.split("\n")];
  const line = a.findIndex((each, i) => each !== b[i]);
  const at = line < 0 ? a.length : line;
  return `line ${at + 1} is ${show(a[at]?.trim() ?? "missing")}, the cluster file renders ${show(b[at]?.trim() ?? "nothing")}`;
}

/** What an earlier description rendered and runs on, such as a cache that the file has `removed`. */
function leftAlone(state: ClusterState, described: Described): Finding[] {
  const kinds = [
    "Deployment",
    "DaemonSet",
    "Service",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
  ];
  const all = renderedObjects(described);
  return kinds.flatMap((kind) =>
    (running(state, kind) ?? [])
      .filter((live) => isOurs(live) && !all.some((each) => each.kind === kind && isSame(live, each)))
      .map((live) => {
        const used = live.metadata.name === names.nodeLocalDns ? stillInUse(state, described) : undefined;
        return finding(
          "undescribed",
          identity(live),
          [
            "it is of an earlier cluster file, and what the file does not have is not kept up",
            ...(used?.evidence ?? []),
          ],
          used?.next ?? [kubectl`delete ${kind.toLowerCase()} ${live.metadata.name} ${ofNamespace(live)}`],
        );
      }),
  );
}
