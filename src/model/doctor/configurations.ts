import { parseCorefile } from "../corefile/parse";
import type { Pod, Workload } from "../kubernetes/kinds";
import { identity } from "../kubernetes/object";
import { isCurrent, isOf, mountedConfigMaps, placeOf } from "../kubernetes/pods";
import type { ClusterState } from "../running/cluster-state";
import { some } from "../syntax/some";
import { type Described, rendered, systemPods } from "./described";
import { isSame } from "./drift";
import { type Finding, finding } from "./finding";
import { grouped } from "../syntax/grouped";
import { beside } from "./steps";
import { dnsWorkloads } from "./workloads";

/** Corefiles, as mounted, that CoreDNS cannot read, and pods that a rollout has not replaced. */
export function configurations(state: ClusterState, described?: Described): Finding[] {
  const { configMaps = [], workloads = [] } = state;
  const ours = rendered<Workload>(described, "Deployment", "DaemonSet");
  const live = workloads.filter((each) => ours.some((one) => isSame(one, each)));
  const mounted = new Set(
    [...live, ...dnsWorkloads(state, described)].flatMap(({ spec }) => mountedConfigMaps(spec.template.spec)),
  );
  const broken = configMaps.flatMap((each): Finding[] => {
    const corefile = each.data?.["Corefile"];
    if (corefile === undefined || !mounted.has(each.metadata.name)) return [];
    try {
      parseCorefile(corefile);
      return [];
    } catch (error) {
      const look = beside(each)`get configmap ${each.metadata.name} -o ${"jsonpath={.data.Corefile}"}`;
      return [
        finding("corefile-unreadable", identity({ ...each, kind: "ConfigMap" }), [(error as Error).message], [look]),
      ];
    }
  });
  return [...broken, ...live.flatMap((each) => oldPods(each, systemPods(state)))];
}

function oldPods(workload: Workload, pods: readonly Pod[]): Finding[] {
  const now = mountedConfigMaps(workload.spec.template.spec);
  const old = pods
    .filter((pod) => isCurrent(pod) && isOf(workload, pod))
    .filter((pod) => now.some((name) => !mountedConfigMaps(pod.spec).includes(name)));
  return grouped(old, (pod) => mountedConfigMaps(pod.spec).join(", ")).map(([mounted, same]) =>
    finding(
      "older-pods",
      identity(workload),
      [`${some(same.map(placeOf))} mount ${mounted || "none"}, new pods mount ${now.join(", ")}`],
      [beside(workload)`rollout status ${workload.kind.toLowerCase()} ${workload.metadata.name} --timeout=30s`],
    ),
  );
}
