import type { AuthoritativeDnsOptions, AutoscalerOptions } from "../props/authoritative-dns";
import type { Cluster } from "../cluster/cluster";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { defaults } from "../defaults";
import type { FullProps } from "../full-props/fill-in";
import { about, type Given } from "./report";

export function componentRules({ props, cluster, said }: Given): Problem[] {
  const dns: AuthoritativeDnsOptions = props.authoritativeDNS ?? {};
  const { kind, replicas, autoscaler } = said.authoritativeDNS;
  const { min = defaults.leastReplicas, max = min } = autoscaler ?? {};
  const at = (key: string) => ["authoritativeDNS", key];
  return [
    ...Object.keys(dns)
      // Of `corefile`, another rule says more.
      .filter((key) => kind === "Existing" && !["kind", "service", "corefile"].includes(key))
      .flatMap((key) =>
        about(at(key)).say("has no effect on the DNS a cluster already has; leave it out, or choose another kind"),
      ),
    ...about(at("replicas")).when(
      replicas !== undefined && autoscaler !== undefined,
      "is set together with autoscaler, which would fight over the number of pods; keep one (autoscaler has min and max)",
    ),
    ...(["replicas", "autoscaler"] as const).flatMap((key) =>
      about(at(key)).when(
        kind === "DaemonSet" && dns[key] !== undefined,
        "has no effect with kind: DaemonSet, which runs one pod on each node; leave it out",
      ),
    ),
    ...about([...at("autoscaler"), "max"]).when(max < min, `${max} is less than min, which is ${min}`),
    ...autoscalerRules(dns, autoscaler?.mode),
    ...about(["trafficDistribution"]).when(
      kind === "Existing" && props.trafficDistribution !== undefined && cluster !== undefined && !hasService(cluster),
      "has no effect on the DNS a cluster already has, and this one has no Service kube-dns-upstream; leave it out, or choose another authoritativeDNS.kind",
    ),
    ...about(["resolvConf"]).say(resolvConfFault(said)),
  ];
}

function resolvConfFault({ resolvConf, upstreamNameservers, authoritativeDNS }: FullProps): string | undefined {
  if (resolvConf === undefined) return undefined;
  if (!/^((\/(?!\.\.?(\/|$))[\w.-]+)+)?$/.test(resolvConf))
    return `${show(resolvConf)} is not the absolute path of a file; accepted: /FOLDER/FILE, without . and ..`;
  if (resolvConf !== "") return undefined;
  if (authoritativeDNS.kind === "Existing")
    return '"" leaves the DNS that the cluster already has no servers for names outside: it asks those of its node, and upstreamNameservers do not reach it; leave resolvConf out, name a file, or choose another authoritativeDNS.kind';
  return upstreamNameservers === undefined
    ? '"" leaves CoreDNS no servers for names outside the cluster; set upstreamNameservers'
    : undefined;
}

const ofMode = {
  "cluster-proportional": ["coresPerReplica", "nodesPerReplica", "image"],
  horizontal: ["cpuUtilization"],
} as const;

function autoscalerRules(
  { autoscaler, resources }: AuthoritativeDnsOptions,
  mode?: AutoscalerOptions["mode"],
): Problem[] {
  if (!autoscaler) return [];
  const other = mode === "horizontal" ? "cluster-proportional" : "horizontal";
  const path = ["authoritativeDNS", "autoscaler"];
  return [
    ...ofMode[other].flatMap((key) =>
      about([...path, key]).when(
        autoscaler[key] !== undefined,
        `has no effect with mode: ${mode}; leave it out, or set mode: ${other}`,
      ),
    ),
    ...about([...path, "mode"]).when(
      mode === "horizontal" && resources !== undefined && !("cpu" in { ...resources.limits, ...resources.requests }),
      "horizontal goes by the share of the requested CPU that is used, and authoritativeDNS.resources request none; set requests.cpu",
    ),
  ];
}

/** Whether the node cache asks through a Service of its own. */
function hasService({ components: { nodeLocalDns } }: Cluster): boolean {
  return nodeLocalDns?.queryPath.clusterServers === "upstream-service";
}
