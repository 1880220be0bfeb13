import type { PodSpec } from "../kubernetes/kinds";
import { identity } from "../kubernetes/object";
import { namespace } from "../object-names";
import { atEach, finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { kubectl } from "./steps";

const label = "pod-security.kubernetes.io/enforce";

/** Workloads whose next pods Pod Security refuses, while those that run stay. */
export function podSecurity(patient: Patient): Findings {
  const own = patient.state.namespaces?.find(({ metadata }) => metadata.name === namespace);
  const level = own?.metadata.labels?.[label] ?? "privileged";
  const refused = patient.renderedWorkloads.filter(({ spec }) => isRefused(spec.template.spec, level));
  const evidence = `namespace ${namespace} has the label ${label}=${level}: pods that run stay, and none takes their place`;
  const mend = kubectl`label --overwrite namespace ${namespace} ${`${label}=privileged`}`;
  const next = [kubectl`get namespace ${namespace} -o yaml`, mend];
  return refused.length > 0 && finding("refused-next", atEach(refused.map(identity)), evidence, next);
}

/** By what ours have of what the levels forbid. */
function isRefused({ hostNetwork, volumes = [], securityContext = {} }: PodSpec, level: string): boolean {
  const mayBeRoot = !("runAsNonRoot" in (securityContext as object));
  const isOfNode = hostNetwork === true || volumes.some((each) => "hostPath" in each);
  return level !== "privileged" && (isOfNode || (level === "restricted" && mayBeRoot));
}
