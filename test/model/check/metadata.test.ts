import { expect, it } from "vitest";
import { problemsOf } from "./problems";

const ours =
  "app.kubernetes.io/managed-by app.kubernetes.io/part-of job-name controller-uid batch.kubernetes.io/job-name".split(
    " ",
  );
const decided = `argocd.argoproj.io/sync-wave kustomize.toolkit.fluxcd.io/prune cdk8s-cluster-dns/replicas helm.sh/hook
  kubectl.kubernetes.io/last-applied-configuration service.kubernetes.io/service-proxy-name service.cilium.io/global
  rbac.authorization.k8s.io/aggregate-to-admin cert-manager.io/inject-ca-from deployment.kubernetes.io/revision
  deprecated.daemonset.template.generation kubernetes.io/config.mirror kubernetes.io/enforce-mountable-secrets
  config.kubernetes.io/local-config internal.config.kubernetes.io/needsHashSuffix kustomize.config.k8s.io/behavior
  objectset.rio.cattle.io/id container.apparmor.security.beta.kubernetes.io/coredns
  seccomp.security.alpha.kubernetes.io/pod scheduler.alpha.kubernetes.io/tolerations
  controller.kubernetes.io/pod-deletion-cost service.beta.kubernetes.io/load-balancer-source-ranges`.split(/\s+/);

it.each<[message: string, props: object]>([
  ["labels.k8s-app: is a label that this project or Kubernetes sets, to find", { labels: { "k8s-app": "x" } }],
  ["monitoring.labels.k8s-app: is a label that", { "monitoring.labels": { "k8s-app": "x" } }],
  ["labels.kubernetes.io/name: is a label that this project or", { labels: { "kubernetes.io/name": "x" } }],
  ...ours.map((key): [string, object] => [`labels.${key}: is a label that`, { labels: { [key]: "x" } }]),
  ["labels.kubernetes.io/cluster-service: has addon", { labels: { "kubernetes.io/cluster-service": "true" } }],
  ['labels.my team: "my team" is not a valid key', { labels: { "my team": "x" } }],
  ['labels.team: "a b" is not a label value', { labels: { team: "a b" } }],
  ['labels.constructor: "constructor" cannot be written as a key', { labels: { constructor: "x" } }],
  ...decided.flatMap((key) =>
    ["labels", "annotations"].map((where): [string, object] => [
      `${where}.${key}: tells Kubernetes, or what applies the object, what to do with it`,
      { [where]: { [key]: "x" } },
    ]),
  ),
  ['annotations.a/b/c: "a/b/c" is not a valid key', { annotations: { "a/b/c": "x" } }],
  ["annotations: 260005 bytes in total", { annotations: { owner: "x".repeat(260000) } }],
  ['annotations.constructor: "constructor" cannot be written as a key', { annotations: { constructor: "x" } }],
])("extra labels and annotations: what is refused, and the message: %s", (message, props) =>
  expect(problemsOf(props)).toEqual([expect.stringContaining(message)]),
);

it.each<[what: string, props: object]>([
  ["any text in an annotation", { annotations: { "Example.com/Note": "a b\n{$HOME}" } }],
  ["an empty label", { labels: { "example.com/canary": "" } }],
])("accepts %s", (_, props) => expect(problemsOf(props)).toEqual([]));
