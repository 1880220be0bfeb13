import type { AuthoritativeDnsOptions } from "../props/authoritative-dns";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Problem } from "../syntax/problem";
import { show } from "./shape";
import { isDuration } from "../syntax/names";
import { when } from "./report";

/** Options of one component that exclude each other. */
export function componentRules(props: ClusterDnsProps): Problem[] {
  const dns: AuthoritativeDnsOptions = props.authoritativeDNS ?? {};
  const { kind = "Deployment", replicas, autoscaler } = dns;
  const { min = 2, max } = autoscaler ?? {};
  const at = (key: string) => ["authoritativeDNS", key];
  return [
    ...Object.keys(dns)
      .filter((key) => kind === "Existing" && key !== "kind")
      .flatMap((key) =>
        when(true, at(key), "has no effect on DNS that the cluster already has; leave it out, or choose another kind"),
      ),
    ...when(
      replicas !== undefined && autoscaler !== undefined,
      at("replicas"),
      "is set together with autoscaler, which would fight over the number of pods; keep one of them (autoscaler has min and max)",
    ),
    ...(["replicas", "autoscaler"] as const).flatMap((key) =>
      when(
        kind === "DaemonSet" && dns[key] !== undefined,
        at(key),
        "has no effect with kind: DaemonSet, which runs one pod on each node; leave it out",
      ),
    ),
    ...when(max !== undefined && max < min, [...at("autoscaler"), "max"], `${max} is less than min, which is ${min}`),
    ...(["authoritativeDNS", "nodeLocalDNS"] as const).flatMap((component) => {
      const cache = props[component]?.cache ?? {};
      const durations: [path: string[], value: string | undefined][] = [
        [[component, "cache", "serveStale"], cache.serveStale],
        [[component, "cache", "prefetch", "duration"], cache.prefetch?.duration],
      ];
      return durations.flatMap(([path, value]) =>
        when(
          value !== undefined && !isDuration(value),
          path,
          `${show(value)} is not a duration; accepted: 30s, 1h, 1h30m ...`,
        ),
      );
    }),
    ...when(
      props.resolvConf !== undefined && !/^\/[\w./-]+$/.test(props.resolvConf),
      ["resolvConf"],
      `${show(props.resolvConf)} is not an absolute path`,
    ),
  ];
}
