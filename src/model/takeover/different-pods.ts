import { identity, type Fields, type KubernetesObject } from "../kubernetes/object";
import { podTemplate, sourcesOf } from "../kubernetes/pods";
import { unlikeRendered } from "../kubernetes/unlike-rendered";
import { withoutKeys } from "../syntax/mapping";
import { formatPath, type Problem } from "../syntax/problem";
import { dnsContainer } from "./workload-props";

/** Not what a cluster file says, nor what is the same for every CoreDNS in other words, such as probes. */
export function differentPods(theirs: KubernetesObject, ours: KubernetesObject): string[] {
  const [pod, ourPod] = [podTemplate(theirs).spec, podTemplate(ours).spec];
  const [dns, ourDns] = [dnsContainer(theirs), dnsContainer(ours)];
  const { initContainers = [], containers, volumes = [] } = pod;
  return [
    ...lost(pod, ourPod, elsewhere),
    ...[...initContainers, ...containers.filter((each) => each !== dns)].map(({ name }) => `container ${name}`),
    ...volumes.filter((each) => sourcesOf(each).includes(undefined)).map(({ name }) => `volume ${name}`),
    ...lost(dns ?? {}, ourDns ?? {}, elsewhereInContainer),
    // Values may be secret.
    ...(dns?.env ?? []).filter(({ name }) => name !== "GOMEMLIMIT").map(({ name }) => `env ${name}`),
  ].map((what) => `${identity(theirs)}: ${what}`);
}

const elsewhere = ["containers", "initContainers", "nodeSelector", "tolerations", "volumes"];

const elsewhereInContainer = [
  "env",
  "image",
  "imagePullPolicy",
  "livenessProbe",
  "name",
  "ports",
  "readinessProbe",
  "resources",
  "securityContext",
  "volumeMounts",
];

function lost(theirs: Fields, ours: Fields, known: readonly string[]): string[] {
  const [said, instead] = [withoutKeys(theirs, known), withoutKeys(ours, known)];
  return unlikeRendered(said, instead, ["spec"]).flatMap(({ path: [, ...path], before, after }) => {
    if (before === undefined || before === false || isAvoidance(path, before)) return [];
    const [shown, other] = sides(before, after);
    return `${formatPath(path)} ${shown}${after === undefined ? "" : `; ours: ${other}`}`;
  });
}

/** Pods wish to avoid each other's nodes, ours in other words: not if they must, or avoid zones. */
function isAvoidance([first, ...path]: Problem["path"], value: unknown): boolean {
  const affinity = path.reduceRight((held, key) => ({ [key]: held }), value) as { podAntiAffinity?: object };
  const { podAntiAffinity, ...others } = affinity;
  const [wishes, ...musts] = Object.keys(podAntiAffinity ?? {}).toSorted();
  return (
    first === "affinity" &&
    Object.keys(others).length + musts.length === 0 &&
    wishes === "preferredDuringSchedulingIgnoredDuringExecution" &&
    topologyKeys(podAntiAffinity).every((key) => key === "kubernetes.io/hostname")
  );
}

function topologyKeys(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => (key === "topologyKey" ? [each] : topologyKeys(each)));
}

const shownLength = 80;

/** Two values on one line each; if long, from shortly before where they differ. */
function sides(before: unknown, after: unknown): readonly [string, string] {
  const [one = "none", other = "none"] = [before, after].map((value) => JSON.stringify(value));
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const from = one.length > shownLength && other !== "none" ? Math.max(0, same - shownLength / 4) : 0;
  const cut = (text: string) => {
    const part = text.slice(from, from + shownLength);
    return `${from > 0 ? "..." : ""}${part}${from + shownLength < text.length ? "..." : ""}`;
  };
  return [cut(one), cut(other)];
}
