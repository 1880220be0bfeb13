import type { ClusterDnsProps } from "../cluster-dns";
import type { Problem } from "../problem";
import { show } from "../schema-problems";
import { isLabelValue, isQualifiedName } from "./names";
import { when } from "./report";

/** Keys that selectors, takeovers and GitOps controllers rely on; the constructs set them. */
const reservedLabels = ["k8s-app", "kubernetes.io/name", "app.kubernetes.io/managed-by"];
const reservedAnnotations = [
  "argocd.argoproj.io/sync-wave",
  "argocd.argoproj.io/sync-options",
  "argocd.argoproj.io/compare-options",
  "kustomize.toolkit.fluxcd.io/prune",
];

export function metadataRules(props: ClusterDnsProps): Problem[] {
  const labels = Object.entries(props.labels ?? {});
  const annotations = Object.entries(props.annotations ?? {});
  const size = annotations.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...labels.flatMap(([key, value]) => [
      ...when(reservedLabels.includes(key), ["labels", key], "is set by this project and selected by; choose another key"),
      ...labelProblems(["labels", key], key, value),
    ]),
    ...annotations.flatMap(([key]) => [
      ...when(reservedAnnotations.includes(key), ["annotations", key], "is set by this project; choose another key"),
      ...when(!isQualifiedName(key.toLowerCase()), ["annotations", key], badKey(key)),
    ]),
    ...when(size > 262_144, ["annotations"], `${size} bytes in all; at most 262144 accepted`),
  ];
}

/** What the API server would refuse of a label, as `kubectl label` says it. */
export function labelProblems(path: Problem["path"], key: string, value: string): Problem[] {
  return [
    ...when(!isQualifiedName(key), path, badKey(key)),
    ...when(
      !isLabelValue(value),
      path,
      `${show(value)} is not a label value; accepted: at most 63 letters, digits, - _ and ., a letter or digit first and last`,
    ),
  ];
}

function badKey(key: string): string {
  return `${show(key)} is not a valid key; accepted: [PREFIX/]NAME, NAME at most 63 letters, digits, - _ and ., PREFIX a DNS subdomain`;
}
