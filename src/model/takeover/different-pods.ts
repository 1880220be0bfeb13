import { differences } from "../kubernetes/differences";
import { identity, type Fields, type KubernetesObject } from "../kubernetes/object";
import { isOfServer } from "../kubernetes/of-server";
import { podTemplate, sourcesOf } from "../kubernetes/pods";
import { isMapping } from "../syntax/mapping";
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

const elsewhere = new Set(["containers", "initContainers", "nodeSelector", "tolerations", "volumes"]);

const elsewhereInContainer = new Set([
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
]);

function lost(theirs: Fields, ours: Fields, known: ReadonlySet<string>): string[] {
  return Object.keys(theirs)
    .filter((field) => !known.has(field))
    .flatMap((field) => entryWise(theirs[field], ours[field], [field]))
    .filter(
      ({ path, before }) => !isEmpty(before) && !isOfServer(["spec", ...path], before) && !isAvoidance(path, before),
    )
    .map(({ path, before, after }) => {
      const [shown, instead] = sides(before, after);
      return `${formatPath(path)} ${shown}${after === undefined ? "" : `; ours: ${instead}`}`;
    });
}

/** Of lists with another number of entries, those that ours has not. */
function entryWise(before: unknown, after: unknown, path: Problem["path"]): ReturnType<typeof differences> {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length === after.length)
    return differences(before, after, path);
  return before
    .filter((entry) => !after.some((each) => differences(entry, each).length === 0))
    .map((entry) => ({ path, before: entry as unknown, after: undefined }));
}

/** Pods avoid the nodes of each other, here in other words. */
function isAvoidance([first, second]: Problem["path"], value: unknown): boolean {
  if (first !== "affinity" || (second !== undefined && second !== "podAntiAffinity")) return false;
  const text = JSON.stringify(value);
  return !text.includes("requiredDuring") && !text.includes("nodeAffinity") && !text.includes("zone");
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === false || (isList(value) && Object.keys(value).length === 0);
}

function isList(value: unknown): value is object {
  return isMapping(value) || Array.isArray(value);
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
