import type { Difference } from "./differences";
import type { KubernetesObject } from "./object";
import { nameOf } from "./unlike-rendered";

/** A JSON patch (RFC 6902) by which a running object is as rendered where it differs. */
export function jsonPatch(running: KubernetesObject, rendered: object, all: readonly Difference[]): object[] {
  const steps = all.map(({ path, after }) => ({
    // In a mapping, `add` also replaces.
    op: after === undefined ? "remove" : "add",
    path: pointer(path, running),
    // Not `after`, where a list is a mapping by names.
    value: after === undefined ? undefined : path.reduce<unknown>((at, step) => itemOf(at, keyIn(at, step)), rendered),
  }));
  // Of a list, its end first: what is removed moves all behind it.
  return steps.toSorted((a, b) => b.path.localeCompare(a.path, "en", { numeric: true }));
}

function pointer(path: Difference["path"], object: unknown): string {
  let at = object;
  return path
    .map((step) => {
      const key = keyIn(at, step);
      at = itemOf(at, key);
      return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
    })
    .join("");
}

/** An item of a list may be called by its name, and stands at its place; one that is not there comes last. */
function keyIn(at: unknown, step: string | number): string | number {
  if (!Array.isArray(at) || typeof step === "number") return step;
  const place = at.findIndex((each) => nameOf(each) === step);
  return place < 0 ? "-" : place;
}

function itemOf(at: unknown, key: string | number): unknown {
  return (at as { readonly [key: string]: unknown } | undefined)?.[key];
}
