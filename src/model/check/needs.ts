import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Problem } from "../syntax/problem";
import { about, type Given } from "./report";

/** What to do where `agentImage` is missing. */
export const howToGetAgentImage =
  "build the image in a clone of cdk8s-cluster-dns, `npm run image -- --push REGISTRY/NAME`, and name it in agentImage";

/** The problem of a key that our programs do, if nobody names their image. @param instead What else to do. */
export function needsAgentImage(
  path: Problem["path"],
  { agentImage }: ClusterDnsProps,
  why: string,
  instead: string,
): Problem[] {
  const message = `needs agentImage: ${why}; ${howToGetAgentImage}, or ${instead}`;
  return about(path).when(agentImage === undefined, message);
}

/** Keys that a Corefile of ours answers, and what to do instead where the cluster keeps its own DNS. */
export function ownCorefileRules({ said }: Given): Problem[] {
  const { authoritativeDNS, tenancy, federation, rewrites, zones } = said;
  if (authoritativeDNS.kind !== "Existing") return [];
  const ask = "name the zones in nodeLocalDNS.askClusterDNS";
  const isAnswered = Object.values(zones).some(({ forward }) => forward === undefined);
  const keys = {
    ...(tenancy && { tenancy: "; choose Deployment or DaemonSet, or leave tenancy out" }),
    ...(federation && { federation: "; choose Deployment or DaemonSet, or leave federation out" }),
    ...(rewrites.length > 0 && { rewrites: `; rewrite in its Corefile, and ${ask}` }),
    ...(isAnswered && { zones: `; add records, files and templates to its Corefile, and ${ask}` }),
  };
  return Object.entries(keys).flatMap(([key, instead]) =>
    about([key]).say(`needs our Corefile, but authoritativeDNS.kind is Existing${instead}`),
  );
}

/** A key for which k8s-dns-node-cache has no plugin. */
export function nodeCacheRules({ props: { nodeLocalDNS, dnstap }, cluster }: Given): Problem[] {
  const engine = cluster?.queryPath?.engine ?? nodeLocalDNS?.engine;
  return about(["dnstap"]).when(
    engine === "node-cache" && dnstap !== undefined,
    "is not in k8s-dns-node-cache; set agentImage and engine: coredns, or leave it out",
  );
}
