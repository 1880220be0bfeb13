import { inDocs } from "../docs";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { names } from "../object-names";

/** What another address of the DNS Service means: running pods keep the one that they started with. */
export function leavingDnsAddress(before: readonly KubernetesObject[], after: readonly KubernetesObject[]): string[] {
  const [old, now] = [addressesOf(before), addressesOf(after)];
  const lost = old.filter((address) => !now.includes(address));
  if (old.length === 0 || now.length === 0) return [];
  const isSameFirst = old[0] === now[0];
  if (lost.length === 0)
    return isSameFirst
      ? []
      : [
          `makes Service ${names.dnsService} anew, as its first address changes: only node caches answer at ${old.join(" and ")} from its deletion until it is applied again; do both in the same moment (${inDocs("gitops", "What needs a hand")})`,
        ];
  const left = lost.join(" and ");
  if (isSameFirst)
    return [
      `takes ${left} from Service ${names.dnsService}, where nobody answers from then on; first have kubelets name ${now.join(" and ")}, and make all pods anew`,
    ];
  return [
    `moves Service ${names.dnsService} away from ${left}, which pods and caches ask until they are made anew, and where nobody answers from then on; put a Service of your own at ${left} in the same moment, and keep it until nobody asks there (${inDocs("gitops", "What needs a hand")})`,
  ];
}

function addressesOf(objects: readonly KubernetesObject[]): string[] {
  const service = objects.find((object) => identity(object) === `Service kube-system/${names.dnsService}`);
  return [service?.spec?.["clusterIPs"] ?? []].flat().map(String);
}
