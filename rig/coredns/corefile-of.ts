import { clusterOf } from "../../src/model/cluster/cluster";
import type { NodeLocalDnsSettings } from "../../src/model/cluster/node-local-dns";
import { authoritativeCorefile, authoritativeFiles } from "../../src/model/corefile/authoritative";
import type { Corefile } from "../../src/model/corefile/corefile";
import { cacheFiles, nodeLocalDnsCorefile } from "../../src/model/corefile/node-local-dns";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";

/** A cluster's Corefile for authoritative DNS. */
export function authoritativeCorefileOf(props: ClusterDnsProps): Corefile {
  const settings = clusterOf(props).components.authoritativeDns;
  if (!settings) throw new Error("no authoritative DNS");
  return authoritativeCorefile(settings.names);
}

/** The files beside it. */
export function filesOf(props: ClusterDnsProps): { readonly [name: string]: string } {
  const settings = clusterOf(props).components.authoritativeDns;
  return settings ? authoritativeFiles(settings.names) : {};
}

/** The files beside that of the node cache. */
export function cacheFilesOf(props: ClusterDnsProps): { readonly [name: string]: string } {
  return cacheFiles(nodeLocalDnsOf(props).names);
}

/** A cluster's Corefile for the node cache. */
export function nodeLocalDnsCorefileOf(props: ClusterDnsProps): Corefile {
  return nodeLocalDnsCorefile(nodeLocalDnsOf(props));
}

/** The same on the loopback interface, with the cluster DNS on one of its ports. */
export function nodeLocalDnsCorefileBeside(port: number, props: ClusterDnsProps): Corefile {
  return corefileBeside(port, nodeLocalDnsOf(props));
}

/** The same of a cluster's settings. */
export function corefileBeside(port: number, settings: NodeLocalDnsSettings): Corefile {
  const queryPath = { ...settings.queryPath, listenAddresses: ["127.0.0.1"], clusterServers: [`127.0.0.1:${port}`] };
  return nodeLocalDnsCorefile({ ...settings, queryPath });
}

function nodeLocalDnsOf(props: ClusterDnsProps): NodeLocalDnsSettings {
  const settings = clusterOf(props).components.nodeLocalDns;
  if (!settings) throw new Error("no node cache");
  return settings;
}
