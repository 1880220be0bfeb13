import type { KubernetesObject } from "../kubernetes/object";

// Annotations for Argo CD and Flux; Kubernetes ignores them.

/** The order in which Argo CD applies objects: wave by wave, each once the previous wave is healthy. */
const waves = {
  /** Permissions, and policies that must hold before anything runs. */
  access: -2,
  /** What pods need before they start. */
  config: -1,
  authoritativeDns: 0,
  nodeLocalDns: 1,
  nodeAgents: 2,
  admission: 3,
  webhookConfigurations: 4,
  // Last, all: none keeps back another, a red test no alerts, a missing operator or namespace no test. Without metrics, a
  // HorizontalPodAutoscaler is Degraded for Argo CD, and what comes after it would never be applied.
  loadAutoscaler: 5,
  smokeTest: 5,
  monitoring: 5,
} as const;

export type Stage = keyof typeof waves;

const waveAnnotation = "argocd.argoproj.io/sync-wave";

export function wave(stage: Stage): { [annotation: string]: string } {
  return { [waveAnnotation]: String(waves[stage]) };
}

/** Objects in wave order; within a wave, the order stays. */
export function inWaves(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const waveOf = ({ metadata }: KubernetesObject) => Number(metadata.annotations?.[waveAnnotation] ?? 0);
  return objects.toSorted((a, b) => waveOf(a) - waveOf(b));
}

/** For objects that pods still need after they leave the repository: never pruned, and not reported as drift. */
export const keep = {
  "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
  "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
  "kustomize.toolkit.fluxcd.io/prune": "disabled",
} as const;

/** Argo CD prunes them once what replaces them is healthy; by itself it prunes early, as it reverses waves. */
export const pruneLast = { "argocd.argoproj.io/sync-options": "PruneLast=true" } as const;

/** For kinds that the cluster may not have: otherwise Argo CD finds that out first, and applies nothing. */
export const mayBeUnknown = { "argocd.argoproj.io/sync-options": "SkipDryRunOnMissingResource=true" } as const;

/** For CoreDNS's Deployment, when an autoscaler says how many pods it has: by this, controllers' patches select it. */
export const autoscaled = { "cdk8s-cluster-dns/replicas": "autoscaler" } as const;

/** Whether an object with these annotations is never pruned. */
export function isKept(annotations: { readonly [name: string]: string } = {}): boolean {
  return Object.entries(keep).some(([name, value]) => annotations[name] === value);
}
