import { clusterOf } from "../../src/model/cluster/cluster";
import { authoritativeCorefile } from "../../src/model/corefile/authoritative";
import type { Corefile } from "../../src/model/corefile/corefile";
import { nodeLocalDnsCorefile } from "../../src/model/corefile/node-local-dns";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";

/** The Corefile of authoritative DNS in a cluster. */
export function authoritativeCorefileOf(props: ClusterDnsProps): Corefile {
  const settings = clusterOf(props).components.authoritativeDns;
  if (!settings) throw new Error("no authoritative DNS");
  return authoritativeCorefile(settings.names);
}

/** The Corefile of the node cache in a cluster. */
export function nodeLocalDnsCorefileOf(props: ClusterDnsProps): Corefile {
  const settings = clusterOf(props).components.nodeLocalDns;
  if (!settings) throw new Error("no node cache");
  return nodeLocalDnsCorefile(settings.names, settings.queryPath, settings.metricsAddress);
}
