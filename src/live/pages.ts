import { collectSooner } from "../config/collect-sooner";
import { isKubernetesObject, type KubernetesObject } from "../model/kubernetes/object";
import { pluralOf } from "../model/kubernetes/resource";
import { hasShape } from "../model/kubernetes/shapes";
import type { Page, Unread } from "../model/running/cluster-state";
import { errorMessage } from "../model/syntax/error-message";
import { isMapping } from "../model/syntax/mapping";
import { type Failure, programMs, type Read } from "./kubectl-proxy";
import { withoutNull } from "./read-state";
import { sharing } from "./share-parts";

interface List {
  readonly apiVersion: string;
  readonly kind: string;
  /** Undefined: those of no namespace, or of any. */
  readonly namespace: string | undefined;
  readonly query?: string | undefined;
}

function pathOf({ apiVersion, kind, namespace }: List): string {
  const of = namespace === undefined ? "" : `namespaces/${namespace}/`;
  return `/${apiVersion === "v1" ? "api" : "apis"}/${apiVersion}/${of}${pluralOf(kind)}`;
}

type About = Pick<Unread, "resource" | "page">;

/** The pages of an API server. Those that cannot be read are listed, not thrown. */
export class Pages {
  /** Those that nobody answered in time, and those like which none was answered. */
  readonly silent = new Set<Page>();
  private readonly failed: { readonly place: number; readonly unread: Unread }[] = [];
  private asked = 0;

  constructor(private readonly read: Read) {}

  /** In the order in which they were asked for: answers come in any. */
  get unread(): Unread[] {
    return this.failed.toSorted((a, b) => a.place - b.place).map(({ unread }) => unread);
  }

  /** @param as Reads the text, or throws an Error if it is something else. @returns Undefined if there is nothing. */
  async ask<T>(what: string, path: string, as: (text: string) => T, about: About = {}): Promise<T | undefined> {
    const place = this.asked++;
    const answer = await this.read(path, about.page && programMs);
    const { status } = "text" in answer ? { status: 200 } : answer;
    try {
      if ("text" in answer) return as(answer.text);
      if (isOfEndedPod(answer, about.page)) return undefined;
      throw new Error(answer.failure);
    } catch (error) {
      const why = errorMessage(error);
      this.failed.push({ place, unread: { what, why, path, ...about, ...(status !== undefined && { status }) } });
      if (about.page && status === undefined) this.silent.add(about.page);
      return undefined;
    }
  }

  /** Without asking: none like it was answered. */
  giveUp(page: Page): void {
    const { what, path } = page;
    this.failed.push({ place: this.asked++, unread: { what, why: "not asked", path, page, wasAsked: false } });
    this.silent.add(page);
  }

  /** The object like this one, if there is one; undefined if nobody knows. */
  async same({
    apiVersion,
    kind,
    metadata: { name, namespace },
  }: KubernetesObject): Promise<KubernetesObject[] | undefined> {
    const path = `${pathOf({ apiVersion, kind, namespace })}/${name}`;
    const answer = await this.read(path);
    if ("text" in answer) return [parsed(answer.text) as unknown as KubernetesObject];
    // Not every 404 is of the object.
    if (answer.status === 404) return answer.missing === name ? [] : undefined;
    const { failure: why, missing: _missing, ...status } = answer;
    this.failed.push({ place: this.asked++, unread: { what: `${kind} ${name}`, why, path, ...status } });
    return undefined;
  }

  /** A list of the API server, whose items do not say what they are. @param kept What is kept of an item. */
  async list(
    { query = "", ...list }: List,
    kept: (object: never) => KubernetesObject | undefined = (object) => object,
  ): Promise<KubernetesObject[] | undefined> {
    const resource = pluralOf(list.kind);
    const what = list.namespace === undefined ? resource : `${resource} of ${list.namespace}`;
    const share = sharing();
    const all: KubernetesObject[] = [];
    let next = "";
    do {
      const more = next && `&continue=${encodeURIComponent(next)}`;
      const answer = await this.ask(
        what,
        `${pathOf(list)}?limit=${most}${query}${more}`,
        (text) =>
          listIn(text, list, (object) => {
            const part = kept(object as never);
            return part ? [share(part)] : [];
          }),
        { resource },
      );
      if (!answer) return undefined;
      all.push(...answer.objects);
      next = answer.next;
      collectSooner(all.length, 50);
    } while (next !== "");
    return all;
  }
}

/** Objects in an answer. V8 collects larger texts late, and has none that could hold the pods of thousands of nodes. */
const most = 100;

/** @returns `next`, with which to ask for the rest; empty if there is none. */
function listIn(
  text: string,
  { apiVersion, kind }: List,
  kept: (object: KubernetesObject) => KubernetesObject[],
): { readonly objects: readonly KubernetesObject[]; readonly next: string } {
  const { items, metadata } = parsed(withoutManagers(text));
  if (!Array.isArray(items)) throw new Error("answered with no list");
  const objects = items.flatMap((item: unknown, i): KubernetesObject[] => {
    const object = isMapping(item) ? { ...item, apiVersion, kind } : item;
    if (isKubernetesObject(object) && hasShape(object)) return kept(object);
    throw new Error(`item ${i + 1} of ${items.length} is not as the API server writes it`);
  });
  const next = isMapping(metadata) ? metadata["continue"] : undefined;
  return { objects, next: typeof next === "string" ? next : "" };
}

/** They are half of a list, and no check reads them. Within a text of the list, their quotes are escaped. */
function withoutManagers(json: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = json.indexOf(managers); at >= 0; at = json.indexOf(managers, from)) {
    kept.push(json.slice(from, at));
    from = endOfList(json, at + managers.length);
  }
  return kept.join("") + json.slice(from);
}

/** Not the first field of its object. */
const managers = ',"managedFields":[';

/** What follows the bracket that closes a list. */
function endOfList(json: string, start: number): number {
  let depth = 1;
  let isInText = false;
  for (let i = start; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (code === backslash) i++;
    else if (code === quote) isInText = !isInText;
    else if (isInText) continue;
    else if (code === opening) depth++;
    else if (code === closing && --depth === 0) return i + 1;
  }
  return json.length;
}

const [quote, backslash, opening, closing] = ['"', "\\", "[", "]"].map((each) => each.charCodeAt(0));

/** Its status tells of a pod that has ended or not started, and of a run that nobody remembers. */
function isOfEndedPod({ failure, missing }: Failure, page: About["page"]): boolean {
  if (page?.kind !== "log") return page?.kind === "metrics" && missing === page.name;
  // There are but words for the rest; for its last run, once the kubelet has removed its container.
  const said =
    page.run === "previous"
      ? /waiting to start|^previous terminated|^unable to retrieve container logs/
      : /waiting to start/;
  return missing === page.name || said.test(failure);
}

/** @throws Error if it is no JSON object. */
export function parsed(text: string): { readonly [key: string]: unknown } {
  let value: unknown;
  try {
    value = withoutNull(JSON.parse(text));
  } catch {
    // Said below, with what it is instead.
  }
  if (!isMapping(value)) throw new Error(`answered with no JSON: ${text.trim().split("\n")[0]?.slice(0, 100) ?? ""}`);
  return value;
}
