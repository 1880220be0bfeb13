import { keyBeforeColon, missingSpace } from "./missing-space";
import type { Schema } from "./schema";
import { closest } from "./suggest";

/** Which key was probably meant by an unknown one, here or elsewhere, or all that are accepted. @param whole The file's. */
export function whatInstead(key: string, schema: Schema, whole: Schema): string {
  const word = keyBeforeColon(key) ?? key;
  const meant = meantBy(key, schema);
  if (key.startsWith("-") || (meant === word && meant !== key)) return `; ${missingSpace(key)}`;
  const sections = sectionsWith(word, schema, whole);
  const isOfTop = schema !== whole && Object.hasOwn(whole.properties ?? {}, word);
  const elsewhere = [
    ...(sections.length === 1 || sections.length === 2 ? [`${word} in ${sections.join(" or ")}`] : []),
    ...(isOfTop && sections.length === 0 ? [`${word} at the top of the file`] : []),
  ];
  const guesses = [...(meant === undefined ? [] : [meant]), ...elsewhere];
  if (guesses.length > 0) return `; did you mean ${guesses.join(", or ")}?`;
  const states = word === "enabled" ? schema.properties?.["state"]?.enum : undefined;
  if (states) return `; write state, which is one of ${states.join(", ")}`;
  return `; accepted here: ${Object.keys(schema.properties ?? {}).join(", ")}`;
}

/** The accepted key that was probably meant: one that is spelt alike, or else the only one that ends in this word. */
export function meantBy(key: string, { properties = {} }: Schema): string | undefined {
  const word = keyBeforeColon(key) ?? key;
  const accepted = Object.keys(properties);
  const longer = accepted.filter(
    (each) => each.toLowerCase().endsWith(word.toLowerCase()) && 3 * word.length >= each.length,
  );
  return closest(word, accepted) ?? (longer.length === 1 ? longer[0] : undefined);
}

/** The mappings below a schema that have a key: the nearest, as paths. */
function sectionsWith(key: string, schema: Schema, whole: Schema): string[] {
  const nearest = sectionsBelow(schema, whole)
    .map((level) => level.filter(({ properties }) => Object.hasOwn(properties, key)))
    .find((found) => found.length > 0);
  return [...new Set(nearest?.map(({ path }) => path.slice(0, -1)))];
}

interface Section {
  readonly path: string;
  readonly properties: NonNullable<Schema["properties"]>;
}

/** Found once: a file may have thousands of unknown keys. */
const known = new WeakMap<Schema, Section[][]>();

/** The mappings below a schema, level by level. */
function sectionsBelow(schema: Schema, { definitions = {} }: Schema): Section[][] {
  const { properties = {} } = schema;
  const levels = known.get(schema) ?? [];
  if (known.has(schema)) return levels;
  known.set(schema, levels);
  let level: Section[] = [{ path: "", properties }];
  while (level.length > 0) {
    level = level.flatMap((above) =>
      Object.entries(above.properties).flatMap(([name, { $ref, anyOf = [] }]) =>
        [$ref, ...anyOf.map((each) => each.$ref)].flatMap((ref) => {
          const section = definitions[ref?.replace("#/definitions/", "") ?? ""];
          return section ? [{ path: `${above.path}${name}.`, properties: section.properties ?? {} }] : [];
        }),
      ),
    );
    levels.push(level);
  }
  return levels;
}
