import { answeredAlone } from "../corefile/additions";
import { sidesOf } from "../corefile/rewrites";
import type { WalkedPath } from "../corefile/search-path";
import { defaults, withDefaults } from "../defaults";
import type { ClusterDnsProps } from "../props/cluster-dns";
import { canonicalName, inZone } from "../syntax/names";

/** How the cache walks the search paths of pods; undefined if they do. */
export function walkedPath(props: ClusterDnsProps): WalkedPath | undefined {
  const { clusterDomain: domain = defaults.cluster.clusterDomain, nodeLocalDNS, tenancy, federation } = props;
  const { stubDomains = {}, zones = {} } = props;
  if (!nodeLocalDNS?.searchPath) return undefined;
  const { nodeDomains = [], topLevelDomains } = withDefaults(nodeLocalDNS.searchPath, defaults.searchPath);
  const special = [...Object.keys(stubDomains), ...Object.keys(zones)].map(canonicalName);
  return {
    nodeDomains: nodeDomains.map(canonicalName),
    topLevelDomains: topLevelDomains.map(canonicalName),
    tenants: tenancy && {
      names: [...(tenancy.tenants ?? []), ...(tenancy.systemTenant ? [tenancy.systemTenant] : [])].map(
        ({ name }) => name,
      ),
      isSoft: tenancy.isolation === "soft",
    },
    ownZones: [
      ...special.filter((zone) => inZone(zone, domain)),
      ...(federation ? [`${federation.name}.svc.${domain}`] : []),
    ].sort(),
    mayAnswerMore: answersMore(props, domain),
  };
}

/** Only what the description says is known: not what a DNS answers that the cluster already has. */
function answersMore({ authoritativeDNS, nodeLocalDNS, rewrites = [] }: ClusterDnsProps, domain: string): boolean {
  const additions = [authoritativeDNS?.corefile, nodeLocalDNS?.corefile].flatMap((each) => answeredAlone(each));
  return (
    authoritativeDNS?.kind === "Existing" ||
    rewrites.some((each) => sidesOf(each, domain).includes("cluster")) ||
    additions.some(({ part }) => part !== "otherNames")
  );
}
