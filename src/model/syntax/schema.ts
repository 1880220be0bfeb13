/** What messages read of a JSON Schema. */
export interface Schema {
  readonly type?: string | readonly string[];
  /** Only of keys that must be there. */
  readonly description?: string;
  /** What a text of a type of its own is. */
  readonly words?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly properties?: { readonly [key: string]: Property };
  /** Only the whole schema has them. */
  readonly definitions?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Of durations. */
  readonly formatMinimum?: string;
  readonly formatMaximum?: string;
}

interface Property extends Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly { readonly $ref?: string }[];
}
