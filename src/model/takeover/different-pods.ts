import { identity, type Fields, type KubernetesObject } from "../kubernetes/object";
import { podTemplate, sourcesOf } from "../kubernetes/pods";
import { unlikeRendered } from "../kubernetes/unlike-rendered";
import { withoutKeys } from "../syntax/mapping";
import { formatPath, type Problem } from "../syntax/problem";
import { dnsContainer } from "./workload-props";

/**
 * What CoreDNS's pods have that they do not have with ours. Not what a cluster file says, nor what is the same for every
 * CoreDNS in other words, such as probes.
 */
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

/** Pods avoid the nodes of each other, here in other words. */
function isAvoidance([first, second]: Problem["path"], value: unknown): boolean {
  if (first !== "affinity" || (second !== undefined && second !== "podAntiAffinity")) return false;
  const text = JSON.stringify(value);
  return !text.includes("requiredDuring") && !text.includes("nodeAffinity") && !text.includes("zone");
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
