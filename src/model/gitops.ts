/**
 * Annotations for Argo CD and Flux; they mean nothing to Kubernetes.
 */

/** Argo CD applies lower waves first and waits for their health. */
export const syncWave = {
  access: -2,
  config: -1,
  authoritativeDns: 0,
  nodeLocalDns: 1,
  nodeAgents: 2,
  admission: 3,
  webhookConfigurations: 4,
} as const;

export function wave(name: keyof typeof syncWave): { [annotation: string]: string } {
  return { "argocd.argoproj.io/sync-wave": String(syncWave[name]) };
}

/** For what pods still need after it left the repository: never pruned, and no drift while it stays. */
export const keep = {
  "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
  "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
  "kustomize.toolkit.fluxcd.io/prune": "disabled",
} as const;
