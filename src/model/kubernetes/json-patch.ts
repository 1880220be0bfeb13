import type { Difference } from "./differences";
import type { KubernetesObject } from "./object";
import { nameKeyOf, nameOf } from "./unlike-rendered";

/** By RFC 6902. It tests first what it reaches through a place of a list: another item may stand there by now. */
export function jsonPatch(running: KubernetesObject, rendered: object, all: readonly Difference[]): object[] {
  const steps = all.map(({ path, after }) => {
    const { pointer, tests } = pointerTo(path, running);
    return {
      tests,
      operation: {
        // In a mapping, `add` also replaces.
        op: after === undefined ? "remove" : "add",
        path: pointer,
        // Not `after`, where a list is a mapping by names.
        value:
          after === undefined ? undefined : path.reduce<unknown>((at, step) => itemOf(at, keyIn(at, step)), rendered),
      },
    };
  });
  const tests = new Map(steps.flatMap((each) => each.tests.map((test) => [test.path, test])));
  return [
    ...tests.values(),
    // Of a list, its end first: what is removed moves all behind it.
    ...steps
      .map(({ operation }) => operation)
      .toSorted((a, b) => b.path.localeCompare(a.path, "en", { numeric: true })),
  ];
}

function pointerTo(path: Difference["path"], object: unknown) {
  const tests: { readonly op: "test"; readonly path: string; readonly value: unknown }[] = [];
  let [at, pointer] = [object, ""];
  for (const step of path) {
    const key = keyIn(at, step);
    const item = itemOf(at, key);
    pointer += `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
    // What a name finds is that whatever else it has.
    const name = typeof step === "string" ? nameKeyOf(item) : undefined;
    if (Array.isArray(at) && item !== undefined)
      tests.push(
        name === undefined
          ? { op: "test", path: pointer, value: item }
          : { op: "test", path: `${pointer}/${name}`, value: itemOf(item, name) },
      );
    at = item;
  }
  return { pointer, tests };
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
