import { readFileSync, writeFileSync } from "node:fs";
import type { AgentConfig } from "../../model/agent-config/agent-config";
import { nodeNameservers, ownAddresses } from "../../model/query-path/nameservers";
import { parseResolvConf } from "../../model/syntax/resolv-conf";
import type { Logger } from "../log";

interface Files {
  /** What the kubelet gave this pod, and the cache beside it. */
  readonly from: string;
  /** What the cache reads. */
  readonly to: string;
}

/**
 * Writes the servers that the node's cache asks for names outside: those of the node, without our own addresses.
 * @returns What somebody should mend in the node's file.
 */
export function writeOutsideServers({ from, to }: Files, config: AgentConfig, log: Logger): readonly string[] {
  const { serviceIPs, linkLocalIPs, clusterZone, resolvConf } = config;
  const own = ownAddresses(serviceIPs, linkLocalIPs);
  const listed = parseResolvConf(readFileSync(from, "utf8")).nameservers;
  const { servers, unusable } = nodeNameservers(listed, own, clusterZone.servers);
  writeFileSync(to, servers.map((server) => `nameserver ${server}\n`).join(""));
  if (unusable.length > 0)
    log.warn(
      { file: resolvConf, nameservers: listed, unusable, asked: servers },
      `the cache cannot ask, or not only, what ${resolvConf} of this node names; name servers outside the cluster there, or give the kubelet another file (resolvConf)`,
    );
  return unusable;
}
