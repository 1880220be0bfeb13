import { effect, type Step } from "../steps/step";
import { isMapping } from "../syntax/mapping";
import type { Fields, KubernetesObject } from "../kubernetes/object";
import { podTemplate } from "../kubernetes/pods";
import { differences } from "../kubernetes/differences";

/** What changes for the pods of a workload; the rest shows in the differences. */
export function podSteps(before: KubernetesObject, after: KubernetesObject): Step[] {
  const [old, now] = [podTemplate(before).spec, podTemplate(after).spec];
  const images = imagesOf(old);
  return [
    ...[...imagesOf(now)].flatMap(([container, image]) => {
      const previous = images.get(container);
      if (previous === undefined || previous === image) return [];
      return [effect("change-image", `${container}: ${imageChange(previous, image)}`)];
    }),
    ...spreadChange(old["topologySpreadConstraints"], now["topologySpreadConstraints"]),
  ];
}

function imagesOf(pod: Fields): Map<string, string> {
  const containers = [pod["initContainers"], pod["containers"]].flatMap(list);
  return new Map(
    containers.flatMap(({ name, image }) =>
      typeof name === "string" && typeof image === "string" ? [[name, image] as const] : [],
    ),
  );
}

function imageChange(before: string, after: string): string {
  const [from, to] = [before, after].map((image) => {
    const slash = image.lastIndexOf("/");
    return { place: image.slice(0, Math.max(slash, 0)), name: image.slice(slash + 1) };
  });
  return from && to && from.name === to.name
    ? `pulls ${to.name} from ${to.place || "the default registry"} instead of ${from.place || "the default registry"}`
    : `runs ${after} instead of ${before}`;
}

function spreadChange(before: unknown, after: unknown): Step[] {
  if (differences(before, after).length === 0) return [];
  const rules = list(after).map(({ topologyKey, maxSkew, whenUnsatisfiable }) => {
    const must = whenUnsatisfiable === "ScheduleAnyway" ? "if it can" : "always";
    return `over ${String(topologyKey)} (${must}, at most ${String(maxSkew)} apart)`;
  });
  const text = rules.length > 0 ? `spreads its pods ${rules.join(" and ")}` : "no longer spreads its pods";
  return [effect("change-spread", text)];
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isMapping) : [];
}
