import { answeredAlone, components, inCorefile, pluginsIn, readAdditions } from "../corefile/additions";
import { pluginRule } from "../corefile/plugins";
import { zoneOfRewrite } from "../corefile/rewrites";
import type { FullProps } from "../full-props/fill-in";
import { coreDnsVersionIn, isBefore } from "../images";
import { canonicalName, inZone } from "../syntax/names";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { about, type Given } from "./report";

/** The first version of CoreDNS that was tested with it. */
const since = "1.14.7";

/** A search path that the cache cannot walk, or that is not the one of pods. */
export function searchPathRules({ said, cluster }: Given): Problem[] {
  const { nodeLocalDNS, resolvConf, tenancy, authoritativeDNS } = said;
  if (!nodeLocalDNS.searchPath) return [];
  const path = ["nodeLocalDNS", "searchPath"];
  const { nodeDomains = [] } = nodeLocalDNS.searchPath;
  const engine = cluster?.queryPath?.engine;
  // One whose answers depend on the client.
  const client = pluginsIn(readAdditions(nodeLocalDNS.corefile)).find(({ name }) => pluginRule(name)?.asksWho)?.name;
  const spoiler = answersNamespaces(said);
  return [
    ...about(path).when(
      cluster !== undefined && !cluster.components.nodeLocalDns,
      "is walked by a node cache, and this cluster has none; leave it out",
    ),
    ...about(path).when(
      engine === "node-cache",
      `needs plugins that k8s-dns-node-cache lacks (view, autopath); ${cluster?.queryPath?.linkMadeBy === "node-cache" ? "set agentImage" : "use engine: coredns"}, or leave it out`,
    ),
    ...about(path).when(
      isBefore(coreDnsVersionIn(nodeLocalDNS.image ?? ""), since),
      `needs CoreDNS ${since}, and nodeLocalDNS.image names an older one; use a newer image, or leave it out`,
    ),
    ...about(path).when(
      client !== undefined,
      `would hide pods from ${client} in nodeLocalDNS.corefile: the cache asks itself for the names on the path; leave one out`,
    ),
    ...about(path).when(
      spoiler !== undefined,
      `asks the cluster's DNS which names are namespaces, and ${spoiler} may answer names like theirs; leave one out`,
    ),
    ...about(path).when(
      tenancy !== undefined && authoritativeDNS.pods === "disabled",
      "tells a namespace from a tenant by its name in the zone of pods, which authoritativeDNS.pods: disabled takes away; leave one out",
    ),
    ...about([...path, "nodeDomains"]).when(
      resolvConf === "" && nodeDomains.length > 0,
      'is not what pods have: with resolvConf: "" they inherit nothing from their node; use []',
    ),
    ...nodeDomains.flatMap((domain, i) =>
      about([...path, "nodeDomains", i]).say(domainFault(said, domain, nodeDomains.slice(0, i))),
    ),
  ];
}

function domainFault({ clusterDomain }: FullProps, domain: string, before: readonly string[]): string | undefined {
  if (inZone(domain, clusterDomain))
    return `${show(domain)} is in the cluster domain, which kubelets put before the domains of a node; leave it out`;
  return before.map(canonicalName).includes(canonicalName(domain))
    ? `${show(domain)} is listed twice; keep the first`
    : undefined;
}

/** What may give a name directly below `svc.<domain>` an answer, although it is no namespace. */
function answersNamespaces(said: FullProps): string | undefined {
  const { rewrites, clusterDomain } = said;
  const isAbove = (zone: string | undefined) => zone === undefined || inZone(`svc.${clusterDomain}`, zone);
  const rule = rewrites.findIndex((each) => each.from !== undefined && isAbove(zoneOfRewrite(each)));
  if (rule >= 0) return `rewrites[${rule}]`;
  return components
    .flatMap((component) =>
      answeredAlone(said[component].corefile)
        .filter(({ part, zones }) => part !== "otherNames" && zones.some(isAbove))
        .map((each) => inCorefile(component, each)),
    )
    .at(0);
}
