import { waitsSeconds } from "../cluster/smoke-test";
import { inZone, isDNSName } from "../syntax/names";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { needsAgentImage } from "./needs";
import { about, type Given } from "./report";

export function smokeTestRules({ said, cluster }: Given): Problem[] {
  const { smokeTest, clusterDomain } = said;
  if (!smokeTest) return [];
  const { outsideName, timeout } = smokeTest;
  const settings = cluster?.components.smokeTest;
  const waits = settings ? waitsSeconds(settings.config) : 0;
  return [
    ...needsAgentImage(
      ["smokeTest"],
      said,
      "the smoke test runs from it, because neither CoreDNS's image nor node-cache's can ask a question",
      "leave smokeTest out",
    ),
    ...about(["smokeTest", "timeout"]).when(
      // Less than a minute is out of range already.
      settings !== undefined && settings.timeoutSeconds >= 60 && settings.timeoutSeconds <= waits,
      `${show(timeout)} is too short: the waits of a Job may add up to ${waits} s, as nodeLocalDNS.watchdogThresholds say, and one that takes longer leaves no report; accepted: more, up to 10m`,
    ),
    ...about(["smokeTest", "outsideName"]).say(
      outsideName === undefined ? undefined : outsideNameFault(outsideName, clusterDomain),
    ),
  ];
}

function outsideNameFault(name: string, clusterDomain: string): string | undefined {
  // Neither an address nor a name that search lists or `localhost` would answer.
  if (!isDNSName(name) || !/\.[^.]*[a-z][^.]*\.?$/i.test(name))
    return `${show(name)} is not a DNS name outside; accepted: one with a dot, such as www.example.com`;
  return inZone(name, clusterDomain)
    ? `${show(name)} is in the cluster domain, whose names are asked anyway; choose a name outside ${clusterDomain}`
    : undefined;
}
