import type { Schema } from "./schema";
import { suggest } from "./suggest";

/** Where an unknown key belongs, which one was probably meant, or all that are accepted. */
export function whatInstead(key: string, schema: Schema): string {
  const sections = sectionsWith(key, schema);
  if (sections.length === 1 || sections.length === 2) return `; it belongs to ${sections.join(" or ")}`;
  const accepted = Object.keys(schema.properties ?? {});
  const [, written = ""] = /^(\w+):/.exec(key) ?? [];
  if (accepted.includes(written)) return `; a space is missing after ${written}:`;
  return suggest(key, accepted) || `; accepted here: ${accepted.join(", ")}`;
}

/** The mappings of a schema that have a key. */
function sectionsWith(key: string, { properties = {}, definitions = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([section, { $ref, anyOf = [] }]) =>
    [$ref, ...anyOf.map((each) => each.$ref)].some((ref) =>
      Object.hasOwn(definitions[ref?.replace("#/definitions/", "") ?? ""]?.properties ?? {}, key),
    )
      ? [section]
      : [],
  );
}
