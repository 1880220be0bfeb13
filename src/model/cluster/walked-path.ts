import { answeredAlone } from "../corefile/additions";
import { sidesOf } from "../corefile/rewrites";
import type { WalkedPath } from "../corefile/search-path";
import type { FullProps } from "../full-props/fill-in";
import { canonicalName, inZone } from "../syntax/names";
import { tenantNames } from "../tenancy/membership";

/** How the cache walks the search paths of pods; undefined if they do. */
export function walkedPath(said: FullProps): WalkedPath | undefined {
  const { clusterDomain: domain, nodeLocalDNS, tenancy, federation, stubDomains, zones } = said;
  if (!nodeLocalDNS.searchPath) return undefined;
  // A file with mistakes may lack them.
  const { nodeDomains = [], topLevelDomains } = nodeLocalDNS.searchPath;
  const special = [...Object.keys(stubDomains), ...Object.keys(zones)].map(canonicalName);
  return {
    nodeDomains: nodeDomains.map(canonicalName),
    topLevelDomains: topLevelDomains.map(canonicalName),
    tenants: tenancy && { names: tenantNames(tenancy), isSoft: tenancy.isolation === "soft" },
    ownZones: [
      ...special.filter((zone) => inZone(zone, domain)),
      ...(federation ? [`${federation.name}.svc.${domain}`] : []),
    ].sort(),
    mayAnswerMore: answersMore(said),
  };
}

/** Only what the description says is known: not what a DNS answers that the cluster already has. */
function answersMore({ authoritativeDNS, nodeLocalDNS, rewrites, clusterDomain }: FullProps): boolean {
  const additions = [authoritativeDNS.corefile, nodeLocalDNS.corefile].flatMap((each) => answeredAlone(each));
  return (
    authoritativeDNS.kind === "Existing" ||
    rewrites.some((each) => sidesOf(each, clusterDomain).includes("cluster")) ||
    additions.some(({ part }) => part !== "otherNames")
  );
}
