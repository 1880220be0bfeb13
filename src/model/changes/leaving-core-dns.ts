import { inDocs } from "../docs";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { names } from "../object-names";
import { controllerOf, whyItStays } from "./pruning";

/** What the end of our CoreDNS means: it has kubeadm's name, so it may be the only one that the cluster has. */
export function leavingCoreDns(before: readonly KubernetesObject[], after: readonly KubernetesObject[]): string[] {
  const workload = before.find(isCoreDns);
  if (!workload || after.some(isCoreDns)) return [];
  const stay = whyItStays(workload, before, after);
  if (stay?.untilDeleted === false) return [];
  const alone = "the cluster has no DNS unless other pods answer behind Service kube-dns";
  const docs = inDocs("gitops", "What needs a hand");
  if (stay)
    return [
      `renders no CoreDNS any more: ${identity(workload)} runs until it is deleted by hand, also where it was taken over in place, and then ${alone}; first see that others answer, or keep it (${docs})`,
    ];
  const first = controllerOf(before) === undefined ? "Flux and kubectl leave it; under Argo CD, first" : "first";
  return [
    `renders no CoreDNS any more: Argo CD deletes ${identity(workload)}, also where it was taken over in place, and ${alone}; ${first} see that others answer, or have it keep these (${docs})`,
  ];
}

function isCoreDns({ kind, metadata }: KubernetesObject): boolean {
  return (kind === "Deployment" || kind === "DaemonSet") && metadata.name === names.authoritativeDns;
}
