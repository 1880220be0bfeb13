import { defaults, withDefaults } from "../defaults";
import { features } from "../kubernetes-version";
import { integer } from "../placement/tolerations";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Toleration } from "../props/placement";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { labelProblems } from "./metadata";
import { isLabelValue, isQualifiedName } from "../syntax/names";
import { about, type Given } from "./report";
import { valuesOf } from "./values-of";
import { needsVersion } from "./versions";

/** Selectors and tolerations as the API server validates them (core/v1 validation, ValidateTolerations). */
export function placementRules({ props }: Given): Problem[] {
  return valuesOf("NodePlacement", props).flatMap(({ path, value: { nodeSelector = {}, tolerations = [] } }) => [
    ...Object.entries(nodeSelector).flatMap(([key, value]) => [
      ...labelProblems([...path, "nodeSelector", key], key, value),
      ...about([...path, "nodeSelector", key]).when(
        (key === "kubernetes.io/os" || key === "beta.kubernetes.io/os") && isLabelValue(value) && value !== "linux",
        `${show(value)} selects nodes on which these pods cannot run: they are Linux; accepted: linux`,
      ),
    ]),
    ...tolerations.flatMap((toleration, i) => tolerationProblems(props, [...path, "tolerations", i], toleration)),
  ]);
}

function tolerationProblems(props: ClusterDnsProps, path: (string | number)[], toleration: Toleration): Problem[] {
  const { key = "", operator, value, effect, tolerationSeconds } = withDefaults(toleration, defaults.toleration);
  const numeric = operator === "Gt" || operator === "Lt";
  return [
    ...about([...path, "key"]).when(
      key !== "" && !isQualifiedName(key),
      `${show(key)} is not a taint key; accepted: [PREFIX/]NAME`,
    ),
    ...about(path).when(
      key === "" && operator !== "Exists",
      "has no key; name one, or set operator: Exists to tolerate every taint",
    ),
    ...about([...path, "value"]).when(
      operator === "Exists" && value !== "",
      `${show(value)} is not accepted with operator: Exists; leave it out`,
    ),
    ...about([...path, "value"]).when(
      operator === "Equal" && !isLabelValue(value),
      `${show(value)} is not a taint value`,
    ),
    ...about([...path, "value"]).when(
      numeric && integer(value) === undefined,
      `${show(value)} is not a whole number, as operator: ${operator} requires`,
    ),
    ...about([...path, "tolerationSeconds"]).when(
      tolerationSeconds !== undefined && effect !== "NoExecute",
      `${tolerationSeconds} is only accepted with effect: NoExecute`,
    ),
    ...(numeric
      ? needsVersion(props, [...path, "operator"], `operator: ${operator}`, features.numericTolerations)
      : []),
  ];
}
