import { parseArgs } from "node:util";
import { familyOf, parseServer } from "../../model/syntax/addresses";
import { isServiceName } from "../../model/syntax/names";

export type NodeResolverOptions = ReturnType<typeof parseOptions>;

/** As the construct NodeResolver writes them. @throws Error listing everything wrong with the arguments. */
export function parseOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      service: { type: "string", multiple: true, default: [] },
      "cluster-domain": { type: "string", default: "" },
      server: { type: "string", multiple: true, default: [] },
      interval: { type: "string", default: "" },
      "metrics-address": { type: "string", default: "" },
      "metrics-port": { type: "string", default: "" },
      "health-port": { type: "string", default: "" },
      "hosts-file": { type: "string", default: "/etc/hosts" },
      "host-root": { type: "string", default: "/" },
      "keep-selinux-label": { type: "boolean", default: false },
    },
  });
  const problems: string[] = [];
  const check = (good: boolean, problem: string) => good || problems.push(problem);

  check(values.service.length > 0, "--service is missing; accepted: NAME.NAMESPACE.svc, once each");
  for (const name of values.service) check(isServiceName(name), `--service ${name}: accepted: NAME.NAMESPACE.svc`);
  check(values["cluster-domain"] !== "", "--cluster-domain is missing; accepted: a domain such as cluster.local");
  check(values.server.length > 0, "--server is missing; accepted: the cluster DNS as IP, IP:port or [IPv6]:port");
  const servers = values.server.flatMap((text) => {
    const server = parseServer(text);
    check(server !== undefined, `--server ${text}: accepted: IP, IP:port or [IPv6]:port`);
    return server ?? [];
  });
  const intervalSeconds = Number(values.interval);
  check(
    intervalSeconds >= 0.1 && intervalSeconds <= 86_400,
    `--interval ${values.interval}: accepted: 0.1 to 86400 seconds`,
  );
  const address = values["metrics-address"];
  check(familyOf(address) !== undefined, `--metrics-address ${address}: accepted: an address of the node`);
  const port = (option: "metrics-port" | "health-port") => {
    const number = Number(values[option]);
    check(
      values[option] !== "" && Number.isInteger(number) && number >= 0 && number <= 65_535,
      `--${option} ${values[option]}: accepted: 1 to 65535, 0 for any`,
    );
    return number;
  };
  const [metricsPort, healthPort] = [port("metrics-port"), port("health-port")];
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return {
    services: values.service,
    clusterDomain: values["cluster-domain"],
    servers,
    /** Between two rounds. */
    intervalSeconds,
    hostsFile: { root: values["host-root"], path: values["hosts-file"] },
    keepLabel: values["keep-selinux-label"],
    metrics: { port: metricsPort, address },
    /** On loopback, for the kubelet. */
    healthPort,
  };
}
