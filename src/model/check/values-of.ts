import type { NodePlacement, Resources } from "../props/placement";
import type { Problem } from "../syntax/problem";
import type { Place } from "../syntax/shape";
import validate = require("./validate");

/** Those that are no text. */
interface Types {
  readonly NodePlacement: NodePlacement;
  readonly Resources: Resources;
}

type ValueOf<Type extends string> = Type extends keyof Types ? Types[Type] : string;

export interface Found<Value> extends Pick<Place, "formatMinimum" | "formatMaximum" | "orFalse"> {
  readonly path: Problem["path"];
  readonly value: Value;
}

/** The values of a type in a description, under whatever keys the interfaces of src/model/props give it. */
export function valuesOf<Type extends string>(
  type: Type,
  description: object,
  places: readonly Place[] = validate.places,
): Found<ValueOf<Type>>[] {
  return places
    .filter((place) => place.type === type)
    .flatMap(({ path, is, formatMinimum, formatMaximum, orFalse }) =>
      valuesAt(description, path)
        .filter(({ value }) => typeof value === is)
        .map((found) => ({ ...found, formatMinimum, formatMaximum, orFalse }) as Found<ValueOf<Type>>),
    );
}

function valuesAt(
  value: unknown,
  [step, ...further]: readonly string[],
  path: Problem["path"] = [],
): Pick<Found<unknown>, "path" | "value">[] {
  if (step === undefined) return [{ path, value }];
  if (typeof value !== "object" || value === null) return [];
  const keys = step === "*" ? Object.keys(value) : [step].filter((key) => Object.hasOwn(value, key));
  return keys.flatMap((key) =>
    valuesAt((value as { [key: string]: unknown })[key], further, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}
