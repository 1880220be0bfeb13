import { isMapping, withoutKeys } from "../syntax/mapping";
import type { Fields, KubernetesObject } from "./object";

/** An object of a cluster without what the server and kubectl keep for themselves, and without secrets. */
export function asApplied({ status, ...object }: KubernetesObject): KubernetesObject {
  const { metadata, kind, spec } = object;
  return {
    ...withoutKeys(object, kind === "Secret" ? ["data"] : []),
    // How many nodes it is on.
    ...(kind === "DaemonSet" && status && { status }),
    ...(kind === "Job" && spec && { spec: withoutOwnPods(spec) }),
    metadata: {
      ...withoutKeys(metadata, ["managedFields", "resourceVersion", "uid", "generation", "creationTimestamp"]),
      annotations: withoutKeys(metadata.annotations ?? {}, [
        "deprecated.daemonset.template.generation",
        // The object once more.
        "kubectl.kubernetes.io/last-applied-configuration",
      ]),
    },
  };
}

/** How the server tells a Job's pods from others: by an identifier that each dry run makes anew. */
function withoutOwnPods({ selector: _selector, ...spec }: Fields): Fields {
  const template = isMapping(spec["template"]) ? spec["template"] : {};
  const metadata = isMapping(template["metadata"]) ? template["metadata"] : {};
  const labels = withoutKeys(isMapping(metadata["labels"]) ? metadata["labels"] : {}, ofJob);
  return { ...spec, template: { ...template, metadata: { ...metadata, labels } } };
}

const ofJob = ["controller-uid", "job-name"].flatMap((label) => [label, `batch.kubernetes.io/${label}`]);
