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
} as const;

export type Stage = keyof typeof waves;

const waveAnnotation = "argocd.argoproj.io/sync-wave";

export function wave(stage: Stage): { [annotation: string]: string } {
  return { [waveAnnotation]: String(waves[stage]) };
}

/** Objects in wave order; within a wave, the order stays. */
export function inWaves<Item extends Annotated>(objects: readonly Item[]): Item[] {
  const waveOf = ({ metadata }: Annotated) => Number(metadata.annotations?.[waveAnnotation] ?? 0);
  return objects.toSorted((a, b) => waveOf(a) - waveOf(b));
}

interface Annotated {
  readonly metadata: { readonly annotations?: { readonly [key: string]: string } };
}

/** For objects that pods still need after they leave the repository: never pruned, and not reported as drift. */
export const keep = {
  "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
  "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
  "kustomize.toolkit.fluxcd.io/prune": "disabled",
} as const;

/**
 * For objects whose successors have other names or kinds: Argo CD prunes them once all that replaces them is healthy. By
 * itself it prunes early, because it reverses the waves of what it prunes.
 */
export const pruneLast = { "argocd.argoproj.io/sync-options": "PruneLast=true" } as const;

/** Whether an object with these annotations is never pruned. */
export function isKept(annotations: { readonly [name: string]: string } = {}): boolean {
  return Object.entries(keep).some(([name, value]) => annotations[name] === value);
}
