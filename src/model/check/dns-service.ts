import type { Cluster } from "../cluster/cluster";
import { namespace as home, names } from "../object-names";
import { isDNSLabel, isPortName } from "../syntax/names";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { labelProblems } from "./metadata";
import { about, type Given } from "./report";

const at = (...keys: readonly string[]) => ["authoritativeDNS", "service", ...keys];

/** The Service of a DNS that the cluster already has: what the API server accepts, and what caches can reach. */
export function dnsServiceRules({ props: { authoritativeDNS }, cluster }: Given): Problem[] {
  const { kind, service } = authoritativeDNS ?? {};
  if (service === undefined) return [];
  if (kind !== "Existing")
    return about(at()).say("describes a DNS that the cluster already has; leave it out, or set kind: Existing");
  const { selector = {} } = service;
  return [
    ...about(at("selector")).when(
      service.selector !== undefined && Object.keys(selector).length === 0,
      "has no label, and so no pods; write those of the Service's own selector",
    ),
    ...Object.entries(selector).flatMap(([key, value]) => labelProblems(at("selector", key), key, value)),
    ...(cluster ? reachProblems(cluster) : []),
  ];
}

/** What leads the cache to the cluster DNS, or queries to the cache, has limits of its own. */
function reachProblems({ queryPath: path, said }: Cluster): Problem[] {
  const { namespace, portNames } = said.authoritativeDNS.service;
  const { udp, tcp } = portNames;
  const isEnabled = path?.state === "enabled";
  const isRedirected = isEnabled && path.interception === "local-redirect";
  const without = "nodeLocalDNS: {state: disabled}";
  return [
    ...about(at("portNames")).when(
      udp === tcp,
      `${show(udp)} cannot be the name of two ports of a Service; write both as the Service has them`,
    ),
    ...about(at("namespace")).when(
      isEnabled && path.clusterServers === "upstream-service" && namespace !== home,
      isRedirected
        ? `${namespace} is out of Cilium's reach: a CiliumLocalRedirectPolicy leads from a Service to pods of the same namespace, and the cache is in ${home}; set ${without}`
        : `${namespace} is out of the cache's reach: without agentImage it asks Service ${names.upstreamService} of ${home}, and a Service has only pods of its own namespace; set agentImage, or ${without}`,
    ),
    ...Object.entries(portNames)
      .filter(([, port]) => isRedirected && isDNSLabel(port) && !isPortName(port))
      .flatMap(([protocol, port]) =>
        about(at("portNames", protocol)).say(
          `${show(port)} cannot be the name of the cache's port, to which Cilium redirects; accepted: at most 15 characters, one of them a letter, without --; or set ${without}`,
        ),
      ),
  ];
}
