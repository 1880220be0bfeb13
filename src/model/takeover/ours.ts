import type { KubernetesObject } from "../kubernetes/object";
import { podTemplate } from "../kubernetes/pods";
import { authoritativeLabels } from "../object-names";
import { type Finding, found } from "./finding";

/** What an object of ours shows beyond what anybody's would: the agent's image, and extra labels and annotations. */
export function ownProps(object: KubernetesObject): Finding[] {
  const { spec, labels } = podTemplate(object);
  const template = (object.spec?.["template"] ?? {}) as { metadata?: { annotations?: Strings } };
  const agent = [...(spec.initContainers ?? []), ...spec.containers].find(({ args }) =>
    ["node-setup", "watchdog"].includes(args?.[0] ?? ""),
  );
  const isDNS = object.metadata.labels?.["k8s-app"] === authoritativeLabels["k8s-app"];
  return [
    ...found("agentImage", agent?.image),
    ...(isDNS ? extra("labels", labels, /^(k8s-app$|app\.kubernetes\.io\/|cdk8s-cluster-dns\/)/) : []),
    ...(isDNS ? extra("annotations", template.metadata?.annotations, /^kubectl\.kubernetes\.io\//) : []),
  ];
}

type Strings = { readonly [key: string]: string };

function extra(key: string, all: Strings = {}, usual: RegExp): Finding[] {
  const own = Object.entries(all).filter(([name]) => !usual.test(name));
  return own.length === 0 ? [] : [{ path: [key], value: Object.fromEntries(own) }];
}
