import type { PodSpec, Workload } from "../kubernetes/kinds";
import { identity } from "../kubernetes/object";
import { podTemplate } from "../kubernetes/pods";
import { namespace } from "../object-names";
import { atEach, finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { kubectl } from "./suggestions";

const label = "pod-security.kubernetes.io/enforce";

/** Namespaces whose level of Pod Security refuses the next pods. */
export function podSecurity(patient: Patient): Findings {
  return (patient.state.namespaces ?? []).map(({ metadata: { name, labels = {} } }) => {
    const level = labels[label] ?? "privileged";
    const isIn = ({ metadata }: Workload) => (metadata.namespace ?? namespace) === name;
    const refused = patient.ownWorkloads.filter((each) => isIn(each) && isRefused(podTemplate(each).spec, level));
    return (
      refused.length > 0 &&
      finding(
        "refused-next",
        atEach(refused.map(identity)),
        `namespace ${name} has the label ${label}=${level}: pods that run stay, and none takes their place`,
        [kubectl`get namespace ${name} -o yaml`, kubectl`label --overwrite namespace ${name} ${`${label}=privileged`}`],
      )
    );
  });
}

/** By what ours have of what the levels forbid. */
function isRefused({ hostNetwork, volumes = [], securityContext = {} }: PodSpec, level: string): boolean {
  const mayBeRoot = !("runAsNonRoot" in (securityContext as object));
  const isOfNode = hostNetwork === true || volumes.some((each) => "hostPath" in each);
  return level !== "privileged" && (isOfNode || (level === "restricted" && mayBeRoot));
}
