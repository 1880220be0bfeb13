import { thresholdsOf, type Thresholds } from "../agent-config/thresholds";
import { authoritativeLameduckSeconds } from "../corefile/authoritative";
import { cacheLameduckSeconds, healthZone } from "../corefile/node-local-dns";
import type { FullProps } from "../full-props/fill-in";
import { leavesOutNodes } from "../full-props/placement";
import { names, namespace } from "../object-names";
import { clusterName, questions, typeOf } from "../smoke-test/questions";
import type { SmokeTestConfig } from "../smoke-test/smoke-test-config";
import { answerWithinSeconds } from "../smoke-test/answer-within";
import { parseDuration } from "../syntax/duration";
import type { AuthoritativeDnsSettings } from "./authoritative-dns";
import type { Facts } from "./facts";
import type { NodeLocalDnsSettings } from "./node-local-dns";

export type SmokeTestSettings = NonNullable<ReturnType<typeof smokeTestSettings>>;

/** The longest that the test waits for a cache to forget that a name did not exist. */
const forgetsWithinSeconds = 10;

/** Watchdogs lead past caches that were wrong until a query (every 10 s) and enough probes (15 s) are right. */
function usedWithinSeconds({ clusterIntervalMs, recoverAfterMs, successes, probeIntervalMs }: Thresholds): number {
  return Math.ceil((clusterIntervalMs + Math.max(recoverAfterMs, 5 * successes * probeIntervalMs)) / 1000);
}

/** Undefined: no test. */
export function smokeTestSettings(
  { smokeTest, agentImage: image, clusterDomain: domain, clusterDNS, ...said }: FullProps,
  { queryPath: path, outside }: Facts,
  authoritativeDns: AuthoritativeDnsSettings | undefined,
  cache: NodeLocalDnsSettings | undefined,
) {
  if (!smokeTest || !image) return undefined;
  const { outsideName, timeout, nodePlacement: placement } = smokeTest;
  const isOurs = authoritativeDns !== undefined;
  const { service: dnsService } = said.authoritativeDNS;
  const { tenancy, federation } = said;
  const zones = authoritativeDns?.names.zones;
  const hasCache = cache !== undefined;
  const asked = { domain, dnsService, clusterDNS, outside, zones, tenancy, federation, isOurs, hasCache, outsideName };
  // While draining, running pods still have it.
  const hasLinkLocal = path?.interception === "link-local" && ["enabled", "draining"].includes(path.state);
  const servers = { linkLocal: hasLinkLocal ? path.linkLocalAddresses : [], service: clusterDNS };
  // Rules for Cilium are its own, and a node that the cache leaves out has none.
  const isOnEveryNode = hasCache && path?.linkMadeBy !== undefined && !leavesOutNodes(cache.placement);
  const denialSeconds = cache?.names.clusterCache.denial.ttl ?? 0;
  const config: SmokeTestConfig = {
    version: 1,
    servers,
    ...(isOurs ? {} : { dnsService }),
    clusterName: clusterName(asked),
    questions: questions(asked),
    own: {
      service: `${names.smokeTest}.${namespace}.svc.${domain}`,
      types: clusterDNS.map(typeOf),
      // kube-dns, and a CoreDNS with `endpoint_pod_names`, give them others.
      hasPodNames: isOurs,
    },
    settledAfterSeconds:
      (isOurs ? authoritativeLameduckSeconds : cacheLameduckSeconds) +
      Math.min(denialSeconds + 1, forgetsWithinSeconds),
    ...(cache && {
      cache: {
        healthZone,
        servers: isOnEveryNode
          ? [...servers.linkLocal, ...servers.service].filter((server) => path.listenAddresses.includes(server))
          : [],
        usedWithinSeconds: usedWithinSeconds(thresholdsOf(said.nodeLocalDNS.watchdogThresholds)),
      },
    }),
  };
  return {
    image,
    // A Job knows whole seconds only.
    timeoutSeconds: Math.ceil((parseDuration(timeout) ?? 0) / 1000),
    placement,
    config,
  };
}

/** The longest that a Job waits by itself: three answers may fail to come, one after the other. */
export function waitsSeconds({ settledAfterSeconds, cache }: SmokeTestConfig): number {
  const forCache = cache && cache.servers.length > 0 ? cache.usedWithinSeconds : 0;
  return settledAfterSeconds + forCache + 3 * answerWithinSeconds;
}
