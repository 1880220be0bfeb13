import type { Problem } from "../syntax/problem";
import { article } from "../syntax/show";
import { some } from "../syntax/some";
import { without } from "./as-meant";

/** What is given, as plain objects and lists; and where it has something else, which is left out. */
interface ReadPlain {
  readonly plain: unknown;
  readonly unreadable: readonly Problem[];
}

/** Reads each value once: JavaScript may pass anything. */
export function readPlain(given: unknown): ReadPlain {
  const unreadable: Problem[] = [];
  const copy = (value: unknown, path: Problem["path"], above: readonly object[]): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const message = whyUnreadable(value, above);
    if (message !== undefined) return void unreadable.push({ path, at: "value", message });
    const within = [...above, value];
    return Array.isArray(value)
      ? Array.from(value, (each, i) => copy(each, [...path, i], within))
      : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copy(each, [...path, key], within)]));
  };
  const plain = copy(given, [], []);
  return { plain: without(plain, unreadable), unreadable };
}

function whyUnreadable(value: object, above: readonly object[]): string | undefined {
  if (above.includes(value)) return "contains itself; accepted: plain values";
  const hidden = hiddenKeys(value);
  // Of cdk8s, which this room does not import.
  if (hidden.includes("produce")) return "is a Lazy value, but props are read at once; give the value itself";
  const accepted = "accepted: a plain object or list";
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  // `import * as props` gives a Module.
  const isPlain = Array.isArray(value) || (["Object", "Module"].includes(kind) && !(Symbol.iterator in value));
  if (!isPlain) return `is ${article(kind)}, whose entries would not be read; ${accepted}`;
  return hidden.length === 0
    ? undefined
    : `would be read without ${some(hidden)}: inherited, of a class, or not enumerable; ${accepted}`;
}

/** Keys that `Object.entries` does not show, but for those that every object or list has, and compilers add to modules. */
function hiddenKeys(value: object): string[] {
  const usual: object = Array.isArray(value) ? Array.prototype : Object.prototype;
  const keys = new Set<string>();
  for (
    let each: object | null = value;
    each !== null && each !== usual;
    each = Object.getPrototypeOf(each) as typeof each
  )
    for (const key of Object.getOwnPropertyNames(each)) keys.add(key);
  const isShown = (key: string) => Object.prototype.propertyIsEnumerable.call(value, key);
  return [...keys].filter((key) => !isShown(key) && !(key in usual) && key !== "__esModule");
}
