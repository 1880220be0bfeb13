import type { Difference } from "./differences";
import type { KubernetesObject } from "./object";
import { nameOf } from "./unlike-rendered";

/** A JSON patch (RFC 6902) by which an object is as rendered where it differs: of a list, its end first. */
export function jsonPatch(live: KubernetesObject, all: readonly Difference[]): object[] {
  return all.toReversed().map(({ path, after }) =>
    after === undefined
      ? { op: "remove", path: pointer(path, live) }
      : // In a mapping, it also replaces.
        { op: "add", path: pointer(path, live), value: after },
  );
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
