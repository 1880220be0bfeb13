import { names } from "../object-names";
import { autoscaled } from "./annotations";

/** How many pods a Deployment has; with an autoscaler, only until that has counted. */
export interface Replicas {
  readonly count: number;
  readonly isAutoscaled: boolean;
}

export const deployment = { kind: "Deployment", name: names.authoritativeDns } as const;

export const replicasPath = "/spec/replicas";

/**
 * A patch for kustomize that gives an autoscaled Deployment a number of pods, as its manifest has none. A controller that
 * is told to apply the number that is there needs one to replace.
 */
export function numberForAutoscaled({ count }: Replicas): object {
  const [[annotation, value]] = Object.entries(autoscaled) as [[string, string]];
  return {
    target: { ...deployment, annotationSelector: `${annotation}=${value}` },
    patch: JSON.stringify([{ op: "add", path: replicasPath, value: count }]),
  };
}
