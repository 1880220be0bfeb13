import type { NodePlacement, Resources } from "../props/placement";
import { grouped } from "../syntax/grouped";
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
  places: Places = placesOfAll,
): Found<ValueOf<Type>>[] {
  return (places.get(type) ?? []).flatMap(({ path, is, formatMinimum, formatMaximum, orFalse }) =>
    valuesAt(description, path)
      .filter(({ value }) => typeof value === is)
      .map((found) => ({ ...found, formatMinimum, formatMaximum, orFalse }) as Found<ValueOf<Type>>),
  );
}

type Places = ReadonlyMap<string, readonly Place[]>;

export function byType(places: readonly Place[]): Places {
  return new Map(grouped(places, ({ type }) => type));
}

const placesOfAll = byType(validate.places);

function valuesAt(
  value: unknown,
  steps: readonly string[],
  path: Problem["path"] = [],
): readonly Pick<Found<unknown>, "path" | "value">[] {
  const step = steps[path.length];
  if (step === undefined) return [{ path, value }];
  if (typeof value !== "object" || value === null) return none;
  const at = (key: string) =>
    valuesAt((value as { [key: string]: unknown })[key], steps, [...path, Array.isArray(value) ? Number(key) : key]);
  if (step === "*") return Object.keys(value).flatMap(at);
  return Object.hasOwn(value, step) ? at(step) : none;
}

const none: readonly never[] = [];
