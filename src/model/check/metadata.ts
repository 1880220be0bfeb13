import { contentOf } from "../admission/protected-objects";
import { commonLabels } from "../object-names";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { isLabelValue, isQualifiedName } from "../syntax/names";
import { about, aboutKey, type Given } from "./report";

/** Keys that selectors, takeovers and GitOps controllers rely on; the constructs set them. */
const reservedLabels = [
  "k8s-app",
  "kubernetes.io/name",
  ...Object.keys(commonLabels),
  "pod-template-hash",
  "pod-template-generation",
  "controller-revision-hash",
  "job-name",
  "controller-uid",
];
const jobLabel = /^batch\.kubernetes\.io\//;
/** Labels of Kubernetes' addon manager, which deletes what has them and is not among its files (AKS#1435, kubernetes#37352). */
const addonLabel = /^(kubernetes\.io\/cluster-service|addonmanager\.kubernetes\.io\/.*)$/;

/** A label or annotation that begins so tells a program what to do with its object. */
const steering = [
  "argocd.argoproj.io/",
  "kustomize.toolkit.fluxcd.io/",
  "kubectl.kubernetes.io/last-applied-configuration",
  // Argo CD takes Helm's hooks for its own.
  "helm.sh/",
  // kustomize leaves out what is `local-config`.
  "config.kubernetes.io/",
  "internal.config.kubernetes.io/",
  "kustomize.config.k8s.io/",
  // k3s and Rancher delete what has them and is not among their files.
  "objectset.rio.cattle.io/",
  "cdk8s-cluster-dns/",
  ...contentOf.services.prefixes,
  // Adds a role's rules to the cluster's own role of that name.
  "rbac.authorization.k8s.io/",
  "cert-manager.io/inject-",
  // Written by controllers and kubelets; the pod of an annotation that says "mirror" is taken for a static one.
  "deployment.kubernetes.io/",
  "deprecated.daemonset.",
  "kubernetes.io/config.",
  "kubernetes.io/enforce-mountable-secrets",
  // The API server refuses some of their values, or all on some kinds (pkg/apis/core/validation).
  "container.apparmor.security.beta.kubernetes.io/",
  "container.seccomp.security.alpha.kubernetes.io/",
  "seccomp.security.alpha.kubernetes.io/",
  "scheduler.alpha.kubernetes.io/tolerations",
  "controller.kubernetes.io/",
  "service.beta.kubernetes.io/load-balancer-source-ranges",
];

/** What the API server accepts for all annotations, in bytes, less room for ours. */
const maxAnnotationBytes = 262_144 - 4096;

export function metadataRules({ props }: Given): Problem[] {
  const annotations = Object.entries(props.annotations ?? {});
  const size = annotations.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...extraLabelProblems(["labels"], props.labels),
    ...aboutKey(
      annotations.flatMap(([key]) => [
        ...steeringProblems(["annotations", key], key),
        ...about(["annotations", key]).when(!isQualifiedName(key.toLowerCase()) || isUnwritable(key), badKey(key)),
      ]),
    ),
    ...about(["annotations"]).when(
      size > maxAnnotationBytes,
      `${size} bytes in total; at most ${maxAnnotationBytes} accepted`,
    ),
  ];
}

/** Labels of the user's beside ours. */
export function extraLabelProblems(
  path: Problem["path"],
  labels: { readonly [key: string]: string } | undefined = {},
): Problem[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...aboutKey(
      about([...path, key]).when(
        reservedLabels.includes(key) || jobLabel.test(key),
        "is a label that this project or Kubernetes sets, to find objects by; choose another key",
      ),
    ),
    ...aboutKey(steeringProblems([...path, key], key)),
    ...aboutKey(
      about([...path, key]).when(
        addonLabel.test(key),
        "has addon managers delete what they did not install; leave it out",
      ),
    ),
    ...labelProblems([...path, key], key, value),
  ]);
}

function steeringProblems(path: Problem["path"], key: string): Problem[] {
  return about(path).when(
    steering.some((prefix) => key.startsWith(prefix)),
    "tells Kubernetes, or what applies the object, what to do with it, which this project decides; choose another key",
  );
}

/** What the API server would refuse about a label, as `kubectl label` reports it. */
export function labelProblems(path: Problem["path"], key: string, value: string): Problem[] {
  return [
    ...aboutKey(about(path).when(!isQualifiedName(key) || isUnwritable(key), badKey(key))),
    ...about(path).when(
      !isLabelValue(value),
      `${show(value)} is not a label value; accepted: at most 63 letters, digits, - _ and ., a letter or digit first and last`,
    ),
  ];
}

/** cdk8s takes a mapping with this key for a class instance and refuses it. */
export function isUnwritable(key: string): boolean {
  return key === "constructor";
}

function badKey(key: string): string {
  if (isUnwritable(key)) return `${show(key)} cannot be written as a key; add a prefix, as in example.com/${key}`;
  return `${show(key)} is not a valid key; accepted: [PREFIX/]NAME, NAME at most 63 letters, digits, - _ and ., PREFIX a DNS subdomain`;
}
