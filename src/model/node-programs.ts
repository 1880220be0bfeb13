import type { ClusterDnsProps } from "./props/cluster-dns";

export type MetricsAddress = NonNullable<ClusterDnsProps["metricsAddress"]>;

/** Environment variable with the node's own address, for programs on the node's network. */
export const nodeAddressVariable = "NODE_IP";

/** A port on the node, outside the range that exporters share (9100 to 9999, where 9256 is process-exporter's). */
export const nodeResolverMetricsPort = 19256;

/** Metrics and health of the webhook. */
export const webhookProbePort = 8080;

/** The hash of the cache's configuration, for the cache and for the node-setup that runs before it. */
export const configHashVariable = "CONFIG_HASH";

/** For the same: the cache's port for the kubelet's health checks. */
export const healthPortVariable = "HEALTH_PORT";

/** For node-setup: where the cache's Corefile is mounted, and the hash of the rendered one. */
export const corefileVariables = { path: "COREFILE", hash: "COREFILE_HASH" } as const;

/** For node-setup: where it writes the servers for names outside; not set if the cluster file names them. */
export const outsideServersVariable = "OUTSIDE_SERVERS";

/** That file, in a volume that node-setup and the cache share. */
export const outsideServers = { folder: "/run/outside-servers", file: "/run/outside-servers/resolv.conf" } as const;

/** On loopback: out of reach of other machines, and of anything that takes the metrics port. */
export const healthPorts = { watchdog: 19254, nodeResolver: 19257 } as const;

/** On the watchdog's health port: the kubelet asks for it before it stops a cache. */
export const stoppingPath = "/stopping";
