import { parseCorefile } from "../corefile/parse";
import type { ConfigMap, Workload } from "../kubernetes/kinds";
import { identity } from "../kubernetes/object";
import { isCurrent, mountedConfigMaps, placeOf } from "../kubernetes/pods";
import { errorMessage } from "../syntax/error-message";
import { grouped } from "../syntax/grouped";
import { some } from "../syntax/some";
import { type Finding, finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { about, beside } from "./suggestions";

/** Corefiles, as mounted, that CoreDNS cannot read, and pods that a rollout has not replaced. */
export function configurations(patient: Patient): Findings {
  const { configMaps = [] } = patient.state;
  const ours = patient.workloads.flatMap(({ live, wanted }) => (wanted ? live : []));
  const mounted = new Set(
    [...ours, ...patient.dnsWorkloads].flatMap(({ spec }) => mountedConfigMaps(spec.template.spec)),
  );
  return [
    configMaps.filter(({ metadata }) => mounted.has(metadata.name)).map(unreadable),
    ours.map((each) => oldPods(each, patient)),
  ];
}

function unreadable(configMap: ConfigMap): Finding | undefined {
  try {
    parseCorefile(configMap.data?.["Corefile"] ?? "");
    return undefined;
  } catch (error) {
    const look = beside(configMap)`get configmap ${configMap.metadata.name} -o ${"jsonpath={.data.Corefile}"}`;
    return finding("corefile-unreadable", identity(configMap), errorMessage(error), look);
  }
}

function oldPods(workload: Workload, patient: Patient): Finding[] {
  const { spec } = workload;
  const now = mountedConfigMaps(spec.template.spec);
  const old = patient
    .podsOf(workload)
    .filter(isCurrent)
    .filter((pod) => now.some((name) => !mountedConfigMaps(pod.spec).includes(name)));
  return grouped(old, (pod) => mountedConfigMaps(pod.spec).join(", ")).map(([mounted, same]) =>
    finding(
      "older-pods",
      identity(workload),
      `${some(same.map(placeOf))} mount ${mounted || "none"}, new pods mount ${now.join(", ")}`,
      about(workload, "rollout status", "--timeout=30s"),
    ),
  );
}
