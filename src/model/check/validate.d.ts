/** Generated from clusters/schema.json by scripts/generate.mjs. */
declare function validate(value: unknown): boolean;
declare namespace validate {
  let errors: SchemaError[] | null;
  interface SchemaError {
    instancePath: string;
    keyword: string;
    params: {
      additionalProperty?: string;
      missingProperty?: string;
      allowedValues?: unknown[];
      type?: string | string[];
      limit?: number;
    };
    message?: string;
    data?: unknown;
    parentSchema?: { properties?: object };
  }
}
export = validate;
