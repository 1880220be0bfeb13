import { plugin, type Directive } from "./corefile";
import { maxConcurrent } from "./forward";

/**
 * Asks this server itself, over loopback and without health checks: there is no other to fall back to. CoreDNS counts the
 * aliases that it follows (ExternalName), but not over loopback: a name that leads to itself ends at the limit.
 */
export function forwardToMain(zone = ".", options: readonly Directive[] = []): Directive {
  return plugin("forward", [zone, "127.0.0.1:53"], [plugin("max_fails", [0]), maxConcurrent, ...options]);
}
