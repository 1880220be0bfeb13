import { defaults, withDefaults } from "../defaults";
import type { ForwardOptions } from "../props/forward-options";
import type { ZoneServers } from "../props/special-names";
import { isBefore } from "../images";
import { parseDuration } from "../syntax/duration";
import { plugin, type Argument, type Directive } from "./corefile";
import { configHash } from "./hash";

/** Servers of a zone, and how they are asked. */
export interface AskedServers extends Omit<ZoneServers, "servers"> {
  readonly zone: string;
  readonly servers: readonly Argument[];
}

/** Beyond this, queries are refused instead of piling up (coredns.yaml.base). */
export const maxConcurrent = plugin("max_concurrent", [1000]);

/**
 * Within this time, pods of the cluster DNS that are new get their share: a connection that is in use has no other end
 * (coredns#7903), and stays at its pod. Not less than `expire`.
 */
const maxAge = "15s";

/** The versions of CoreDNS that had these options first (notes/ of CoreDNS; coredns#6999, #7458). */
export const forwardOptionsSince = {
  failfast_all_unhealthy_upstreams: "1.12.1",
  failover: "1.13.0",
  max_age: "1.14.3",
  read_timeout: "1.14.5",
} as const;

/**
 * Asks servers for the names of a zone.
 * @param version Of CoreDNS; undefined: one that has every option.
 */
export function forwardTo(asked: AskedServers, limit: Directive, version: string | undefined): Directive {
  const { zone, servers, tlsServerName, policy, ...options } = withDefaults(asked, defaults.zoneServers);
  const isOverTLS = tlsServerName !== undefined;
  const isKnown = ({ name }: Directive) =>
    !isBefore(version, forwardOptionsSince[name as keyof typeof forwardOptionsSince] ?? "0.0.0");
  return plugin(
    "forward",
    [zone, ...(isOverTLS ? servers.map((server) => `tls://${String(server)}`) : servers)],
    [
      ...(options.protocol === "tcp" ? [plugin("force_tcp")] : []),
      ...(options.protocol === "udp" ? [plugin("prefer_udp")] : []),
      limit,
      ...connections(options.expire),
      ...(options.tlsCA === undefined ? [] : [plugin("tls", [`${configFolder}/${caFile(options.tlsCA)}`])]),
      ...(isOverTLS ? [plugin("tls_servername", [tlsServerName])] : []),
      ...unlessUsual("policy", policy, defaults.zoneServers.policy),
      ...failing(options),
    ].filter(isKnown),
  );
}

function connections(expire: string): Directive[] {
  const isLonger = (parseDuration(expire) ?? 0) > (parseDuration(maxAge) ?? 0);
  return [
    ...unlessUsual("expire", expire, defaults.forwardOptions.expire),
    plugin("max_age", [isLonger ? expire : maxAge]),
  ];
}

/** What counts as a failure, and what follows from one. */
function failing(options: Omit<ForwardOptions, "protocol" | "expire" | "tlsCA">): Directive[] {
  const usual = defaults.forwardOptions;
  const { failover = [], timeout, maxFails, healthCheck, failFast } = withDefaults(options, usual);
  const { interval, domain, recursive } = withDefaults(healthCheck, defaults.healthCheck);
  const { domain: root } = defaults.healthCheck;
  return [
    ...(failover.length > 0 ? [plugin("failover", failover)] : []),
    ...unlessUsual("read_timeout", timeout, usual.timeout),
    ...unlessUsual("max_fails", maxFails, usual.maxFails),
    ...(healthCheck
      ? [
          plugin("health_check", [
            interval,
            ...(recursive ? [] : ["no_rec"]),
            ...(domain === root ? [] : ["domain", domain]),
          ]),
        ]
      : []),
    ...(failFast ? [plugin("failfast_all_unhealthy_upstreams")] : []),
  ];
}

function unlessUsual(name: string, value: string | number, usual: string | number): Directive[] {
  return value === usual ? [] : [plugin(name, [value])];
}

/** Where pods have their configuration. */
export const configFolder = "/etc/coredns";

/** Named by what it holds, so that another one is another Corefile, and new pods. */
function caFile(text: string): string {
  return `ca-${configHash(text)}.pem`;
}

/** The certificates of authorities, by file. */
export function caFiles(options: readonly (ForwardOptions | undefined)[]): { readonly [file: string]: string } {
  return Object.fromEntries(options.flatMap((each) => (each?.tlsCA ? [[caFile(each.tlsCA), each.tlsCA]] : [])));
}
