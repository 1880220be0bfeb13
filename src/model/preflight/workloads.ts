import type { Toleration } from "../props/placement";

/** The objects of a component, rendered. */
export interface ComponentObjects {
  readonly name: string;
  readonly objects: readonly object[];
}

/** A rendered workload, and what in it decides where its pods run. */
export interface Workload {
  /** `authoritative-dns`, `node-local-dns` ... */
  readonly component: string;
  readonly kind: string;
  readonly name: string;
  readonly hostNetwork: boolean;
  readonly nodeSelector: { readonly [label: string]: string };
  readonly tolerations: readonly Toleration[];
}

/** Whatever starts pods, as it is deployed: a placement that is only meant cannot be checked by mistake. */
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
