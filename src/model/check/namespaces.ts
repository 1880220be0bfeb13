import { isDNSLabel } from "../syntax/names";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { when } from "./report";
import { valuesOf } from "./values-of";

/** Namespaces that can exist. */
export function namespaceRules(description: object): Problem[] {
  return valuesOf("NamespaceName", description).flatMap(({ path, value }) =>
    when(
      !isDNSLabel(value),
      path,
      `${show(value)} is not the name of a namespace; accepted: lower case letters, digits and -, at most 63`,
    ),
  );
}
