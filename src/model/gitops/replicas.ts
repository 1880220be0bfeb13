import { names } from "../object-names";
import { autoscaled } from "./annotations";

/** How many pods a Deployment has; with an autoscaler, only until that has counted. */
export interface Replicas {
  readonly count: number;
  readonly isAutoscaled: boolean;
}

export const deployment = { kind: "Deployment", name: names.authoritativeDns } as const;

export const replicasPath = "/spec/replicas";

/** An autoscaled Deployment's manifest has no number; a controller that keeps the one there needs one to replace. */
export function numberForAutoscaled({ count }: Replicas): object {
  const [[annotation, value]] = Object.entries(autoscaled) as [[string, string]];
  return {
    target: { ...deployment, annotationSelector: `${annotation}=${value}` },
    patch: JSON.stringify([{ op: "add", path: replicasPath, value: count }]),
  };
}
