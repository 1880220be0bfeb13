import { differences } from "../kubernetes/differences";
import { jsonPatch } from "../kubernetes/json-patch";
import type { PodSpec, Service, Workload } from "../kubernetes/kinds";
import { identity, isWorkload, type KubernetesObject } from "../kubernetes/object";
import { isCurrent, isReady, mountedConfigMaps } from "../kubernetes/pods";
import { unlikeRendered, toldDifference } from "../kubernetes/unlike-rendered";
import { isOurs, names } from "../object-names";
import type { ClusterState } from "../running/cluster-state";
import { restorerOf } from "../running/restorer";
import { show } from "../syntax/show";
import { firstOf, some } from "../syntax/some";
import { type Sparse } from "../syntax/sparse";
import { applying, comparedObjects, type Described, running } from "./described";
import { covers, type Drift, drift, type Field, isSame, lacking, lowerLimits } from "./drift";
import { type Finding, finding, type Findings } from "./finding";
import { grouped } from "../syntax/grouped";
import { ending, keepersOf } from "./ending";
import type { FindingId } from "./findings";
import { mendService } from "./mend-service";
import type { Patient } from "./patient";
import { type Suggestion, about, beside, look, noted, patching } from "./suggestions";
import { stillInUse } from "./still-in-use";

/** Objects that the cluster lacks, has otherwise, or has no more use for, by the cluster file. */
export function notAsDescribed(patient: Patient): Findings {
  const { state, described } = patient;
  if (!described) return [];
  const objects = comparedObjects(described);
  const all = drift(objects, (kind) => running(state, kind));
  const missing = all.filter(({ live, wanted }) => !live && !isNotAppliedYet(wanted, patient));
  return [
    grouped(missing, ({ wanted }) => idOf(wanted, "missing", patient)).map(([id, same]) =>
      tellMissing(
        id,
        same.map(({ wanted }) => identity(wanted)),
        described,
      ),
    ),
    all.map((each) => each.live && ofFields(each, each.live, patient, described)),
    leftAlone(state, described, objects),
  ];
}

const rights = ["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];

/** Kinds without whose objects names do not resolve, or soon will not; without others, until one more thing fails. */
const vital = ["Deployment", "DaemonSet", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/** On a headless Service, only metrics depend; on a ConfigMap that nobody mounts, nothing. */
function idOf(wanted: KubernetesObject, what: "missing" | "differs", patient: Patient): FindingId {
  const { kind } = wanted;
  if (rights.includes(kind)) return "rights";
  const isVital =
    kind === "Service"
      ? wanted.spec?.["clusterIP"] !== "None"
      : vital.includes(kind) || (kind === "ConfigMap" && usersOf(wanted, patient).length > 0);
  return isVital ? what : `${what}-aside`;
}

function usersOf({ metadata }: KubernetesObject, patient: Patient): Workload[] {
  return patient.renderedWorkloads.filter(({ spec }) => mountedConfigMaps(spec.template.spec).includes(metadata.name));
}

/** Of a cluster to which nothing was applied, all are missing. */
function tellMissing(id: FindingId, where: readonly string[], described: Described): Finding[] {
  const why = `the cluster file renders it, the cluster does not have it${id === "rights" ? ": pods fail at their next restart" : ""}`;
  const next = applying(described);
  return where.length < 4
    ? where.map((one) => finding(id, one, why, next))
    : [finding(id, { where: `${where.length} objects`, isMany: true }, [why, where.join(", ")], next)];
}

/** That its workload runs with another configuration says all: the cluster file was changed, and not applied yet. */
function isNotAppliedYet(wanted: KubernetesObject, patient: Patient): boolean {
  const users = usersOf(wanted, patient);
  if (wanted.kind !== "ConfigMap" || users.length === 0) return false;
  const { workloads = users } = patient.state;
  const mounts = (spec: PodSpec) => mountedConfigMaps(spec).includes(wanted.metadata.name);
  const isMounted =
    workloads.some(({ spec }) => mounts(spec.template.spec)) ||
    patient.systemPods.some((pod) => isCurrent(pod) && mounts(pod.spec));
  return !isMounted && users.some((each) => workloads.some((live) => isSame(live, each)));
}

function ofFields(drifted: Drift, live: KubernetesObject, patient: Patient, described: Described): Findings {
  const { wanted, fields } = drifted;
  const apply = applying(described);
  if (live.metadata.deletionTimestamp !== undefined)
    return finding(
      idOf(wanted, "differs", patient),
      identity(wanted),
      [`is being deleted since ${live.metadata.deletionTimestamp}`, keepersOf(live), restorer(live, described)],
      [apply.slice(0, -1), ending(live), apply.slice(-1)],
    );
  if (wanted.kind === "Deployment" || wanted.kind === "DaemonSet")
    return ofWorkload(drifted, live as Workload, patient, described);
  const mend =
    wanted.kind === "Service" && mendService(live as Service, wanted as Service, fields, patient.state, apply);
  const { evidence, next } = mend || { evidence: [], next: mending(drifted, live, apply) };
  // Of a Service, the others decide where queries go.
  const isAside = fields.every(({ name }) => name === "spec" || name === "webhooks");
  return finding(
    isAside ? "differs-aside" : idOf(wanted, "differs", patient),
    identity(wanted),
    [fields.map(told), evidence, restorer(live, described)],
    [look(wanted), next],
  );
}

/** Beyond applying, which is refused what cannot change, and keeps what others have added. */
function mending(
  { wanted, fields }: Drift,
  live: KubernetesObject,
  apply: readonly Suggestion[],
): readonly Suggestion[] {
  const [before, last] = [apply.slice(0, -1), apply.slice(-1)];
  const all = fields.flatMap(({ name: field, is, says }) => {
    const compare = field === "spec" || field === "webhooks" ? unlikeRendered : differences;
    return field in live ? compare(is, says, [field]) : [];
  });
  // One that is immutable has the hash of its content in its name: somebody deleted and recreated it.
  const isImmutable = [wanted, live].some((each) => "immutable" in each && each.immutable === true);
  const isFixed = isImmutable || fields.some((each) => each.name === "roleRef");
  if (isFixed || (isWorkload(wanted) && all.some(({ path }) => path[1] === "selector")))
    return [...before, about(wanted, "delete", ...(isFixed ? [] : ["--cascade=orphan"])), ...last];
  const others = all.filter(({ path, after }) => after === undefined && !path.some((step) => added.has(step)));
  // Of an earlier file, applying takes away what this one does not have.
  if (others.length === 0 || fields.some((each) => each.name === "configMaps")) return apply;
  const patch = patching(wanted, jsonPatch(live, wanted, others));
  // What a controller applies may still have it.
  const isDone = others.length === all.length && typeof last[0] === "object";
  return [...before, noted(patch, "applying keeps what others have added"), ...(isDone ? [] : last)];
}

/** Who else applies an object, and would undo what mends it. */
function restorer(live: KubernetesObject, { cluster: { said } }: Described): string | undefined {
  const { name, mark } = restorerOf(live) ?? {};
  const isExpected = said.gitops && (name === "Argo CD" || name === "Flux");
  return name === undefined || isExpected ? undefined : `${name} may have changed it, and would again (${mark})`;
}

/** A finding for each kind of difference. */
function ofWorkload({ wanted, fields }: Drift, live: Workload, patient: Patient, described: Described): Findings {
  const { name } = wanted.metadata;
  const areReady = patient.podsOf(live).every((pod) => !isCurrent(pod) || isReady(pod));
  return grouped(fields, (each) => idOfField(each, fields, areReady, name)).map(([id, same]) => {
    const [field] = same;
    const isOfReplicas = field.name === "replicas";
    // A cluster DNS without any replica is told of with its pods.
    if (isOfReplicas && field.is === 0 && name === names.authoritativeDns) return undefined;
    const isScaled = isOfReplicas && described.cluster.components.authoritativeDns?.autoscaler;
    const scale = beside(wanted)`scale deployment ${name} --replicas=${String(field.says)}`;
    const mend = mending({ wanted, live, fields: same }, live, applying(described));
    const next = id === "added-fields" ? look(wanted) : isScaled ? scale : mend;
    const scalers = patient.dns.autoscalers.filter((each) => isOfReplicas && !isOurs(each));
    const undoing = [scalers.map((each) => `${identity(each)} scales it, too`), restorer(live, described)];
    return finding(id, identity(wanted), [same.map(told), undoing], next);
  });
}

/** The finding that a field of a workload is; of other kinds, all fields are one. */
function idOfField(field: Field, all: readonly Field[], areReady: boolean, workload: string): FindingId {
  // Names resolve without the autoscaler.
  const isDown = field.is === 0 && workload !== names.autoscaler;
  if (field.name === "replicas") return isDown ? "scaled-to-zero" : "scaled-down";
  if (field.name === "memory") return "low-memory-limit";
  // An earlier version of the file is otherwise as well.
  if (all.some(({ name }) => name === "configMaps")) return "other-configuration";
  if (!areReady) return "differs";
  return isAddedTo(field) ? "added-fields" : "differs-aside";
}

/** What overlays add to pods (docs/pod-fields.md). */
const added: ReadonlySet<unknown> = new Set([
  "affinity",
  "env",
  "envFrom",
  "imagePullSecrets",
  "topologySpreadConstraints",
  "volumeMounts",
  "volumes",
]);

/** Whether a workload has all that is rendered, and more of what does it no harm. */
function isAddedTo({ name, is, says }: Field): boolean {
  const all = name === "spec" ? unlikeRendered(is, says, ["spec"]) : [];
  return all.length > 0 && all.every(({ path, after }) => after === undefined && path.some((step) => added.has(step)));
}

function told({ name, is, says }: Field): Sparse<string> {
  return tellings[name]?.(is, says) ?? toldDifference({ path: [name], before: is, after: says });
}

const tellings: { readonly [field: string]: (is: unknown, says: unknown) => Sparse<string> } = {
  data: (is, says) =>
    differences(is, says).map(
      ({ path, before, after }) => `${path.join(".")}: ${firstDifference(linesOf(before), linesOf(after))}`,
    ),
  configMaps: (is, says) =>
    `it mounts ${some(is as string[]) || "none"}, the cluster file renders ${some(says as string[]) || "none"}: an earlier version, or changed by hand`,
  memory: (is, says) =>
    lowerLimits(is, says).map(
      ([name, has, limit]) => `container ${name} may use ${has}, the cluster file renders ${limit ?? "no limit"}`,
    ),
  spec: (is, says) => differing(is, says, "spec"),
  webhooks: (is, says) => differing(is, says, "webhooks"),
  rules: (is, says) => `lacks ${some(lacking(is, says, covers))}`,
  subjects: (is, says) => `is not for ${some(lacking(is, says))}`,
};

function differing(is: unknown, says: unknown, field: string): string[] {
  const all = unlikeRendered(is, says, [field]).map((each) => toldDifference(each));
  // Of more, the first ones tell what happened.
  return firstOf(all, 5);
}

/** Of a file that is not there: none. */
function linesOf(text: unknown): readonly string[] {
  return text === undefined ? [] : String(text).split("\n");
}

function firstDifference(a: readonly string[], b: readonly string[]): string {
  const line = a.findIndex((each, i) => each !== b[i]);
  const at = line < 0 ? a.length : line;
  return `line ${at + 1} is ${show(a[at]?.trim() ?? "missing")}, the cluster file renders ${show(b[at]?.trim() ?? "nothing")}`;
}

/** What an earlier description rendered and runs on, such as a cache that the file has `removed`. */
function leftAlone(state: ClusterState, described: Described, wanted: readonly KubernetesObject[]): Finding[] {
  const kinds = [
    "Deployment",
    "DaemonSet",
    "Service",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
  ];
  const isWanted = (live: KubernetesObject) => wanted.some((each) => isSame(live, each));
  return kinds
    .flatMap((kind) => running(state, kind) ?? [])
    .filter((live) => isOurs(live) && !isWanted(live))
    .map((live) => {
      const used = live.metadata.name === names.nodeLocalDns ? stillInUse(state, described) : undefined;
      const why = "it is of an earlier cluster file, and what the file does not have is not kept up";
      const isEnding = live.metadata.deletionTimestamp !== undefined;
      const next = used?.next ?? (isEnding ? ending(live) : about(live, "delete"));
      return finding("undescribed", identity(live), [why, isEnding && keepersOf(live), used?.evidence], next);
    });
}
