import { parseArgs } from "node:util";
import { parseServer } from "../../model/syntax/addresses";
import { isServiceName } from "../../model/syntax/service-name";
import type { HostsFileLocation } from "../hosts-file/find";
import type { NameServer } from "./lookup";

/** What `agent node-resolver` is told; the construct NodeResolver writes the arguments. */
export interface NodeResolverOptions {
  readonly services: readonly string[];
  readonly clusterDomain: string;
  readonly servers: readonly NameServer[];
  /** Between two rounds, in seconds. */
  readonly interval: number;
  readonly hostsFile: HostsFileLocation;
  readonly keepLabel: boolean;
  readonly metricsPort: number;
}

/** @throws Error with everything that is wrong with the arguments. */
export function parseOptions(args: readonly string[]): NodeResolverOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      service: { type: "string", multiple: true, default: [] },
      "cluster-domain": { type: "string", default: "cluster.local" },
      server: { type: "string", multiple: true, default: [] },
      interval: { type: "string", default: "60" },
      "metrics-port": { type: "string", default: "19256" },
      "hosts-file": { type: "string", default: "/etc/hosts" },
      "host-root": { type: "string", default: "/" },
      "keep-selinux-label": { type: "boolean", default: false },
    },
  });
  const servers = values.server.map((text) => ({ text, server: parseServer(text) }));
  const interval = Number(values.interval);
  const metricsPort = Number(values["metrics-port"]);
  const problems = [
    ...(values.service.length === 0 ? ["--service is missing; accepted: NAME.NAMESPACE.svc, once for each"] : []),
    ...values.service
      .filter((name) => !isServiceName(name))
      .map((name) => `--service ${name}: accepted: NAME.NAMESPACE.svc`),
    ...(servers.length === 0 ? ["--server is missing; accepted: the cluster DNS as IP, IP:port or [IPv6]:port"] : []),
    ...servers.flatMap(({ text, server }) =>
      server ? [] : [`--server ${text}: accepted: IP, IP:port or [IPv6]:port`],
    ),
    ...(interval >= 0.1 && interval <= 86_400 ? [] : [`--interval ${values.interval}: accepted: 0.1 to 86400 seconds`]),
    ...(Number.isInteger(metricsPort) && metricsPort >= 0 && metricsPort <= 65_535
      ? []
      : [`--metrics-port ${values["metrics-port"]}: accepted: 1 to 65535, 0 for any`]),
  ];
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return {
    services: values.service,
    clusterDomain: values["cluster-domain"],
    servers: servers.flatMap(({ server }) => (server ? [{ port: 53, ...server }] : [])),
    interval,
    hostsFile: { root: values["host-root"], path: values["hosts-file"] },
    keepLabel: values["keep-selinux-label"],
    metricsPort,
  };
}
