import type { Duration, ServiceName } from "./values";

/**
 * The node-resolver: keeps addresses of Services in the hosts file of every Linux node, for programs that do not ask
 * the cluster DNS.
 */
export interface NodeResolverOptions {
  /**
   * Services, as `NAME.NAMESPACE.svc`; above all the cluster's registry
   * (`image-registry.openshift-image-registry.svc`), which container runtimes look up on the node.
   * @minItems 1
   * @maxItems 32
   */
  readonly services: readonly ServiceName[];

  /**
   * `removed`: takes its lines out of the hosts file of every node. Once that is done, leave `nodeResolver` out.
   * @default enabled
   */
  readonly state?: "enabled" | "removed";

  /**
   * How often to look up the addresses, `5s` to `1h`.
   * @default 1m
   * @formatMinimum 5s
   * @formatMaximum 1h
   */
  readonly interval?: Duration;

  /**
   * SELinux context of the container. If SELinux is enforcing (RHEL, RHCOS), use `{type: spc_t}`: other containers may
   * not write to /etc. The hosts file then keeps its label.
   * @default - the container runtime's
   */
  readonly seLinuxOptions?: SELinuxOptions;
}

/** SELinux context of a container (core/v1 SELinuxOptions). */
export interface SELinuxOptions {
  /**
   * SELinux type: `spc_t` for a container that may write to the host.
   * @default - the container runtime's
   */
  readonly type?: string;

  /**
   * SELinux level: `s0:c123,c456`.
   * @default - the container runtime's
   */
  readonly level?: string;

  /**
   * SELinux role.
   * @default - the container runtime's
   */
  readonly role?: string;

  /**
   * SELinux user.
   * @default - the container runtime's
   */
  readonly user?: string;
}
