/** Where a value of each named type of a schema may stand: the keys that lead there, `*` for any key or index. */
export function placesIn(schema) {
  const at = (node, path, range) => {
    const { $ref, anyOf = [], properties = {}, items, additionalProperties } = node;
    const { formatMinimum = range?.formatMinimum, formatMaximum = range?.formatMaximum } = node;
    const orFalse = anyOf.some((each) => each.const === false) || undefined;
    const type = $ref?.split("/").pop();
    const definition = schema.definitions?.[type];
    return [
      ...(definition
        ? [
            { type, is: definition.type, path, formatMinimum, formatMaximum, orFalse: range?.orFalse },
            ...at(definition, path),
          ]
        : []),
      ...anyOf.flatMap((each) => at(each, path, { formatMinimum, formatMaximum, orFalse })),
      ...Object.entries(properties).flatMap(([key, each]) => at(each, [...path, key])),
      ...[items, additionalProperties].flatMap((each) => (each instanceof Object ? at(each, [...path, "*"]) : [])),
    ];
  };
  return at(schema, []);
}
