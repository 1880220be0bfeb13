import { inDocs } from "../docs";
import { names } from "../object-names";
import { inZone } from "../syntax/names";
import { type InForce, nothingInForce } from "./in-force";
import { leaveLinkLocal } from "./link-local";
import { byHand, type Step, warning } from "./step";

/**
 * What must not just leave with a change, and what to do first. `inForce` says what a cluster's description means.
 * @param next Undefined if the cluster is described no more.
 */
export function steps(before: InForce, next: InForce | undefined): Step[] {
  // No controller prunes anything of a folder that is gone.
  if (!next && before.controller) return [];
  const after = next ?? nothingInForce;
  // Flux prunes nothing once it is left.
  const leavesObjects = before.controller?.name === "Flux" && after.controller?.name !== "Flux";
  return [
    ...(leavesObjects ? [] : leaveLinkLocal(before, after)),
    ...changeDnsAddress(before, after),
    ...changeClusterDomain(before, after),
    ...leaveCoreDns(before, after),
    ...(leavesObjects ? [] : leaveNodeResolver(before, after)),
    ...moveKustomizations(before, after),
  ];
}

const byHandInDocs = inDocs("gitops", "What needs a hand");

/** When kubelets are configured anew: before an address that they name stops answering, or once the new one answers. */
export function configureKubelets(others: readonly Step[], folder: string): Step {
  const isFirst = others.some(({ id }) => id === "kubelets-first" || id === "take-dns-address");
  const when = isFirst ? "before" : "after";
  const text = `reconfigure the kubelets ${when} the commit, with a file of ${folder}${isFirst ? " as the commit has it" : ""} (${inDocs("modes", "Kubelets")})`;
  return { ...byHand("configure-kubelets", when, text), by: "kubelet" };
}

/** Running pods keep the address that they started with. */
function changeDnsAddress({ dnsAddresses: old }: InForce, { dnsAddresses: now }: InForce): Step[] {
  if (old.length === 0 || now.length === 0) return [];
  const lost = old.filter((address) => !now.includes(address)).join(" and ");
  const isSameFirst = old[0] === now[0];
  if (lost === "")
    return isSameFirst
      ? []
      : [
          warning(
            "reorder-dns-addresses",
            `changes the first address of Service ${names.dnsService}, so it must be made anew: from its deletion until it is applied again, only node caches answer at ${old.join(" and ")}; do both in the same moment (${byHandInDocs})`,
          ),
        ];
  if (isSameFirst)
    return [
      warning(
        "take-dns-address",
        `takes ${lost} from Service ${names.dnsService}, where nobody answers from then on; first have kubelets name ${now.join(" and ")}, and make all pods anew`,
      ),
    ];
  return [
    warning(
      "move-dns-address",
      `moves Service ${names.dnsService} away from ${lost}, which pods and caches ask until they are made anew, and where nobody answers from then on; put a Service of your own at ${lost} in the same moment, and keep it until nobody asks there (${byHandInDocs})`,
    ),
  ];
}

/** Running pods keep the search list that they started with. */
function changeClusterDomain({ domain: old }: InForce, { domain: now, stubZones }: InForce): Step[] {
  if (old === undefined || now === undefined) return [];
  // A stub domain above it need not know the cluster's Services.
  if (old === now || stubZones.includes(old)) return [];
  // What is in the new one, we answer ourselves.
  const other = inZone(old, now)
    ? ""
    : `have a CoreDNS of your own answer ${old}, and name it in stubDomains in this commit, or `;
  return [
    warning(
      "change-cluster-domain",
      `changes the cluster domain from ${old} to ${now}: running pods keep the search list of ${old}, where nobody answers any more, and have no DNS for Services until they are made anew; ${other}do this in a maintenance window (${byHandInDocs})`,
    ),
  ];
}

/** Our CoreDNS has kubeadm's name, so it may be the only one that the cluster has. Flux leaves it. */
function leaveCoreDns({ coreDns, controller }: InForce, after: InForce): Step[] {
  if (coreDns === undefined || after.coreDns !== undefined || controller?.name === "Flux") return [];
  const workload = `${coreDns} kube-system/${names.authoritativeDns}`;
  const alone = "the cluster has no DNS unless other pods answer behind Service kube-dns";
  if (controller === undefined && after.controller)
    return [
      warning(
        "leave-core-dns",
        `renders no CoreDNS any more: ${workload} runs until somebody deletes it, even if it was taken over in place; then ${alone}; first see that others answer, or keep it (${byHandInDocs})`,
      ),
    ];
  const first = controller ? "first" : "Flux and kubectl leave it; under Argo CD, first";
  return [
    warning(
      "leave-core-dns",
      `renders no CoreDNS any more: Argo CD deletes ${workload}, even if it was taken over in place, and ${alone}; ${first} see that others answer, or have it keep these (${byHandInDocs})`,
    ),
  ];
}

function leaveNodeResolver(before: InForce, after: InForce): Step[] {
  if (before.nodeResolver !== "enabled" || after.nodeResolver !== undefined) return [];
  return [
    warning(
      "leave-node-resolver",
      `removes the node-resolver without a cleanup: its lines stay in every node's /etc/hosts, and nothing keeps them right; first set nodeResolver.state: removed (${inDocs("node-resolver", "Leaving")})`,
    ),
  ];
}

/** The old namespace prunes them, and their end deletes what they applied. */
function moveKustomizations({ controller: old }: InForce, { controller: now }: InForce): Step[] {
  if (old?.name !== "Flux" || now?.name !== "Flux" || old.namespace === now.namespace) return [];
  return [
    warning(
      "move-kustomizations",
      `moves Flux's Kustomizations from namespace ${old.namespace} to ${now.namespace}: Flux deletes what the old ones applied, before or after the new ones apply it; first delete the old ones, by the steps that plain diff lists`,
    ),
  ];
}
