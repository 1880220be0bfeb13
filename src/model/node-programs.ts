import type { ClusterDnsProps } from "./props/cluster-dns";

export type MetricsAddress = NonNullable<ClusterDnsProps["metricsAddress"]>;

/** Environment variable with the node's own address, for programs on the node's network. */
export const nodeAddressVariable = "NODE_IP";

/** The hash of the cache's configuration, for the cache and for the node-setup that runs before it. */
export const configHashVariable = "CONFIG_HASH";

/**
 * Loopback ports for the kubelet's health checks: out of reach of other machines, and of anything that takes the
 * metrics port.
 */
export const healthPorts = { watchdog: 19254, nodeResolver: 19257 } as const;
