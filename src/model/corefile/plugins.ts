import { own } from "../syntax/mapping";
import type { Directive } from "./corefile";
import { textOf } from "./line";
import type { PluginRule } from "./plugin-rule";
import { plugins } from "./plugin-table";
import { zonesOf } from "./server-key";

/** Those of k8s-dns-node-cache (kubernetes/dns cmd/node-cache/main.go) that an addition may have. */
export const nodeCachePlugins: readonly string[] = [
  "cache",
  "debug",
  "dns64",
  "errors",
  "forward",
  "hosts",
  "loadbalance",
  "log",
  "loop",
  "rewrite",
  "template",
  "trace",
  "whoami",
];

/** What is known of a plugin; undefined if CoreDNS has none of this name. */
export function pluginRule(name: string): PluginRule | undefined {
  return own(plugins, name);
}

/** The key that says what a plugin says, whatever else a plugin of its name may say. */
export function keyFor({ name, args }: Directive): PluginRule["key"] {
  const { key, keyNeeds } = pluginRule(name) ?? {};
  return keyNeeds && String(args[keyNeeds[0]]).toUpperCase() !== keyNeeds[1] ? undefined : key;
}

/** The zones that a plugin names; none: it is for those of its block. */
export function zonesSaid({ name, args }: Directive): string[] {
  const { asksServers, answersFrom = Infinity } = pluginRule(name) ?? {};
  const zones = asksServers ? args.slice(0, 1) : args.slice(answersFrom);
  return zones.map(textOf).flatMap(zonesOf);
}
