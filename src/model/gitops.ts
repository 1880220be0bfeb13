// Annotations for Argo CD and Flux; they mean nothing to Kubernetes.

/** The order in which Argo CD applies objects: wave by wave, each once all objects of the previous one are healthy. */
const waves = {
  /** Rights, and policies that must hold before anything runs. */
  access: -2,
  /** What pods need before they start. */
  config: -1,
  authoritativeDns: 0,
  nodeLocalDns: 1,
  nodeAgents: 2,
  admission: 3,
  webhookConfigurations: 4,
} as const;

export type Stage = keyof typeof waves;

export function wave(stage: Stage): { [annotation: string]: string } {
  return { "argocd.argoproj.io/sync-wave": String(waves[stage]) };
}

/** For what pods still need after it has left the repository: never pruned, and not reported as drift. */
export const keep = {
  "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
  "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
  "kustomize.toolkit.fluxcd.io/prune": "disabled",
} as const;

/** Whether an object of these annotations is never pruned. */
export function isKept(annotations: { readonly [name: string]: string } = {}): boolean {
  return Object.entries(keep).some(([name, value]) => annotations[name] === value);
}
