import type { Directive } from "./corefile";
import { forwardTo, maxConcurrent } from "./forward";

/** For how long CoreDNS asks servers for an answer, one after another (plugin/forward `defaultTimeout`). */
export const longestWait = "5s";

/**
 * Asks this server itself, over loopback and without health checks: there is no other to fall back to. It waits as long as
 * the servers outside may take. CoreDNS counts the aliases that it follows (ExternalName), but not over loopback: a name
 * that leads to itself ends at the limit.
 * @param version Of CoreDNS; undefined: one that has every option.
 */
export function forwardToMain(version: string | undefined, zone = ".", port = 53): Directive {
  const asked = { zone, servers: [`127.0.0.1:${port}`], maxFails: 0, timeout: longestWait };
  return forwardTo(asked, maxConcurrent, version);
}
