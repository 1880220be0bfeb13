/** What messages read of a JSON Schema. */
export interface Schema {
  readonly properties?: { readonly [key: string]: Property };
  /** Only the whole schema has them. */
  readonly definitions?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A key of a mapping. */
interface Property {
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly $ref?: string;
  readonly anyOf?: readonly { readonly $ref?: string }[];
}
