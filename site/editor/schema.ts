/** The parts of clusters/schema.json that completion and documentation read. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: { readonly [key: string]: Schema };
  readonly additionalProperties?: boolean | Schema;
  readonly definitions?: { readonly [name: string]: Schema };
}

/** A key or value that may stand at a place. */
export interface Choice {
  readonly label: string;
  readonly description: string;
}

/** What a schema says of each place in a file. */
export class Places {
  constructor(private readonly root: Schema) {}

  /** The keys that a mapping at this path may have. */
  keysAt(path: readonly string[]): Choice[] {
    return this.alternativesAt(path).flatMap(({ properties = {} }) =>
      Object.entries(properties).map(([label, { description = "" }]) => ({ label, description })),
    );
  }

  /** The values that the key at this path may have, as far as they can be listed. */
  valuesAt(path: readonly string[]): Choice[] {
    const values = this.alternativesAt(path).flatMap(({ enum: all = [], const: only, type }) => [
      ...all,
      ...(only === undefined ? [] : [only]),
      ...(type === "boolean" ? [true, false] : []),
    ]);
    return [...new Set(values.map(String))].map((label) => ({ label, description: "" }));
  }

  /** What the reference says of the key at this path. */
  descriptionOf(path: readonly string[]): string | undefined {
    const key = path.at(-1);
    return this.keysAt(path.slice(0, -1)).find(({ label }) => label === key)?.description;
  }

  private alternativesAt(path: readonly string[]): Schema[] {
    let places = this.alternatives(this.root);
    for (const step of path)
      places = places.flatMap((place) => {
        const below = step === "-" ? place.items : (place.properties?.[step] ?? place.additionalProperties);
        return typeof below === "object" ? this.alternatives(below) : [];
      });
    return places;
  }

  private alternatives(schema: Schema): Schema[] {
    const named = schema.$ref === undefined ? undefined : this.root.definitions?.[schema.$ref.split("/").at(-1) ?? ""];
    const { anyOf } = named ?? schema;
    return [
      ...(named ? this.alternatives(named) : [schema]),
      ...(anyOf ?? []).flatMap((each) => this.alternatives(each)),
    ];
  }
}

/** Where in a YAML file a line's last key is: it and the keys above it, `-` for an entry of a list. */
export function pathAt(lines: readonly string[], line: number): string[] {
  const path: string[] = [];
  let limit = Infinity;
  for (let i = line; i >= 0 && limit > 0; i--)
    for (const { indent, key } of entriesOf(lines[i] ?? "").reverse()) {
      if (indent >= limit) continue;
      path.unshift(key);
      limit = indent;
    }
  return path;
}

/** `- key: value` begins an entry of a list and a key, each with its own column. */
function entriesOf(line: string): { readonly indent: number; readonly key: string }[] {
  const [, space = "", dashes = "", key] = /^( *)((?:- +)*)(?:"?([\w./-]+)"? *:(?: |$))?/.exec(line) ?? [];
  // A list may begin in the column of its key.
  const list = [...dashes.matchAll(/-/g)].map(({ index }) => ({ indent: space.length + index + 0.5, key: "-" }));
  return key === undefined ? list : [...list, { indent: space.length + dashes.length, key }];
}

/** Where in a file somebody types. */
export interface Place {
  readonly path: readonly string[];
  /** What may stand there; an entry of a list may be a value, or begin with a key. */
  readonly kind: "key" | "value" | "entry";
  /** The part of it that is there. */
  readonly begun: string;
}

const flowTokens =
  /"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^']|'')*(?:'|$)|(?<=\s)#.*|[{}[\],]|:(?=\s|$)|[^\s{}[\],:"'][^\s{}[\],:]*/g;

/**
 * Where a text ends that begins with `{` or `[`.
 *
 * @param above The path of the mapping or list that begins.
 * @returns Undefined outside of it, and in a comment or a quoted text.
 */
export function flowPlace(text: string, above: readonly string[]): Place | undefined {
  const open: { isList: boolean; key: string | undefined }[] = [];
  let scalar = "";
  for (const { 0: token, index } of text.matchAll(flowTokens)) {
    const last = open.at(-1);
    if (token === "{" || token === "[") open.push({ isList: token === "[", key: undefined });
    else if (token === "}" || token === "]") open.pop();
    else if (last && token === ",") last.key = undefined;
    else if (last && token === ":") last.key = scalar;
    else if (/^["'#]/.test(token) && index + token.length === text.length) return undefined;
    else scalar = token.replaceAll(/^["']|["']$/g, "");
  }
  const [, begun] = /[\s{[,]([\w-]*)$/.exec(text) ?? [];
  const last = open.at(-1);
  if (!last || begun === undefined) return undefined;
  const path = open.flatMap(({ isList, key }) => [...(isList ? ["-"] : []), ...(key === undefined ? [] : [key])]);
  return { path: [...above, ...path], begun, kind: last.isList || last.key !== undefined ? "value" : "key" };
}
