import type { ClusterDnsProps } from "./props/cluster-dns";

export type MetricsAddress = NonNullable<ClusterDnsProps["metricsAddress"]>;

/** Environment variable of programs on the network of their node: the node's own address. */
export const nodeAddressVariable = "NODE_IP";

/** The hash of the cache's configuration, for the cache and for the node-setup that precedes it. */
export const configHashVariable = "CONFIG_HASH";

/** Ports on loopback where the kubelet asks for health: out of reach of other machines, and of whoever takes the metrics port. */
export const healthPorts = { watchdog: 19254, nodeResolver: 19257 } as const;
