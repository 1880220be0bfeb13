import type { Difference } from "./differences";
import type { KubernetesObject } from "./object";
import { nameOf } from "./unlike-rendered";

/** A JSON patch (RFC 6902) by which an object is as rendered where it differs: of a list, its end first. */
export function jsonPatch(live: KubernetesObject, all: readonly Difference[]): object[] {
  // In a mapping, `add` also replaces.
  const op = ({ after }: Difference) => (after === undefined ? "remove" : "add");
  return all.toReversed().map((each) => ({ op: op(each), path: pointer(each.path, live), value: each.after }));
}

/** An item of a list may be called by its name, and stands at its place. */
function pointer(path: Difference["path"], object: unknown): string {
  let at = object;
  return path
    .map((step) => {
      const key = Array.isArray(at) && typeof step === "string" ? at.findIndex((each) => nameOf(each) === step) : step;
      at = (at as { readonly [key: string]: unknown } | undefined)?.[key];
      return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
    })
    .join("");
}
