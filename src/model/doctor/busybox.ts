import { isCurrent, placeOf } from "../kubernetes/pods";
import { isDNSName } from "../syntax/names";
import { type Finding, some } from "./finding";
import type { Described, Observed } from "./observed";

/** A pod from which short names are often tried, and seem not to resolve. */
export function busybox({ pods = [], kubelets }: Observed, described?: Described): Finding[] {
  const found = pods.filter(
    (pod) => isCurrent(pod) && pod.spec.containers.some(({ image = "" }) => /(^|\/)busybox(:|@|$)/.test(image)),
  );
  const [first] = found;
  if (!first) return [];
  const { name, namespace = "default" } = first.metadata;
  // A node's word, in a command that somebody may run.
  const [ofKubelet] = [...kubelets.values()].flatMap(({ clusterDomain = "" }) =>
    isDNSName(clusterDomain) ? clusterDomain : [],
  );
  const domain = (described?.cluster.domain ?? ofKubelet ?? "cluster.local").replace(/\.$/, "");
  return [
    {
      severity: "info",
      title: "nslookup of busybox ignores the search list",
      where: some(found.map((pod) => `pod ${placeOf(pod)}`)),
      evidence: [
        "since busybox 1.28 `nslookup kubernetes.default` fails there although programs resolve it: try a whole name, or ping",
      ],
      next: [`kubectl exec ${name} -n ${namespace} -- nslookup kubernetes.default.svc.${domain}.`],
    },
  ];
}
