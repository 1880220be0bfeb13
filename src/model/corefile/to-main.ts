import { plugin, type Directive } from "./corefile";

/** Asks this server itself, over loopback and without health checks: there is no other to fall back to. */
export function forwardToMain(zone = "."): Directive {
  return plugin("forward", [zone, "127.0.0.1:53"], [plugin("max_fails", [0])]);
}
