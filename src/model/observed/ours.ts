import type { KubernetesObject } from "../kubernetes/object";
import { authoritativeLabels } from "../object-names";
import { found, type Found } from "./finding";

interface Workload {
  readonly template?: {
    readonly metadata?: { readonly labels?: Strings; readonly annotations?: Strings };
    readonly spec?: { readonly initContainers?: readonly Container[]; readonly containers?: readonly Container[] };
  };
}

interface Container {
  readonly image: string;
  readonly args?: readonly string[];
}

type Strings = { readonly [key: string]: string };

/** What an object of ours shows beyond what anybody's would: the agent's image, and extra labels and annotations. */
export function fromOurs({ spec, metadata }: KubernetesObject): Found {
  const { metadata: ofPods, spec: pod } = ((spec ?? {}) as Workload).template ?? {};
  const agent = [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])].find(({ args }) =>
    ["node-setup", "watchdog"].includes(args?.[0] ?? ""),
  );
  const isDNS = metadata.labels?.["k8s-app"] === authoritativeLabels["k8s-app"];
  return {
    findings: [
      ...found("agentImage", agent?.image),
      ...(isDNS ? extra("labels", ofPods?.labels, /^(k8s-app$|app\.kubernetes\.io\/|cdk8s-cluster-dns\/)/) : []),
      ...(isDNS ? extra("annotations", ofPods?.annotations, /^kubectl\.kubernetes\.io\//) : []),
    ],
    unsaid: [],
  };
}

function extra(key: string, all: Strings = {}, usual: RegExp) {
  const own = Object.entries(all).filter(([name]) => !usual.test(name));
  return own.length === 0 ? [] : found(key, Object.fromEntries(own));
}
