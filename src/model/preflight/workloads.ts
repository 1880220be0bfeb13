import type { Toleration } from "../props/placement";

/** A component's rendered objects. */
export interface ComponentObjects {
  readonly name: string;
  readonly objects: readonly object[];
}

/** A rendered workload, and the parts of it that decide where its pods run. */
export interface Workload {
  /** `authoritative-dns`, `node-local-dns` ... */
  readonly component: string;
  readonly kind: string;
  readonly name: string;
  readonly hostNetwork: boolean;
  readonly nodeSelector: { readonly [label: string]: string };
  readonly tolerations: readonly Toleration[];
}

/** Everything that starts pods, taken from the rendered objects, so that the check sees what will be deployed. */
export function workloads(components: readonly ComponentObjects[]): Workload[] {
  return components.flatMap(({ name: component, objects }) =>
    (objects as readonly PodOwner[]).flatMap(({ kind, metadata: { name }, spec }) => {
      const pod = spec?.template?.spec;
      if (!pod?.containers) return [];
      const { hostNetwork = false, nodeSelector = {}, tolerations = [] } = pod;
      return [{ component, kind, name, hostNetwork, nodeSelector, tolerations }];
    }),
  );
}

interface PodOwner {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly template?: {
      readonly spec?: Partial<Pick<Workload, "hostNetwork" | "nodeSelector" | "tolerations">> & {
        readonly containers?: object;
      };
    };
  };
}
