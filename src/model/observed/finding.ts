/** An object that the API server printed. */
export interface SeenObject {
  readonly apiVersion?: unknown;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: { readonly [label: string]: string };
  };
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly data?: { readonly [key: string]: string };
}

/** What one object tells of a cluster. */
export interface Finding {
  /** Where in a cluster file it belongs. */
  readonly path: readonly string[];
  readonly value: unknown;
}

/** What a cluster's objects tell. */
export interface Found {
  readonly findings: readonly Finding[];
  /** What they say that a cluster file cannot. */
  readonly unsaid: readonly string[];
}

export function found(path: string, value: unknown): Finding[] {
  return value === undefined ? [] : [{ path: path.split("."), value }];
}

/** `ConfigMap kube-system/coredns`. */
export function nameOf({ kind, metadata: { name, namespace } }: SeenObject): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
