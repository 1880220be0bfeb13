/** An object as applied. */
export interface AppliedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: { readonly [name: string]: string };
    readonly annotations?: { readonly [name: string]: string };
  };
  readonly spec?: { readonly replicas?: number; readonly [field: string]: unknown };
  readonly data?: { readonly [key: string]: unknown };
  /** Of an object in a cluster; nothing that is applied has it. */
  readonly status?: { readonly desiredNumberScheduled?: number };
}

/** `Deployment kube-system/coredns`. */
export function identity({ kind, metadata: { name, namespace } }: Pick<AppliedObject, "kind" | "metadata">): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** A configuration's name ends with its hash. */
export function withoutHash(object: AppliedObject): string {
  return identity(object).replace(/-[0-9a-f]{10}$/, "");
}

export function isWorkload({ kind }: Pick<AppliedObject, "kind">): boolean {
  return kind === "Deployment" || kind === "DaemonSet" || kind === "Job";
}
