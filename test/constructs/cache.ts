import { NodeLocalDns } from "../../src/constructs/node-local-dns";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import type { NodeLocalDnsOptions } from "../../src/model/props/node-local-dns";
import { cached } from "../cached";
import { rendererOf } from "./rendered";

export const cacheOf = rendererOf(NodeLocalDns, "cache", cached);

export function cache(nodeLocalDNS: NodeLocalDnsOptions = {}, more: Partial<ClusterDnsProps> = {}) {
  return cacheOf({ nodeLocalDNS, ...more });
}
