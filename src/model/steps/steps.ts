import { inDocs } from "../docs";
import { names } from "../object-names";
import { inZone } from "../syntax/names";
import { dense } from "../syntax/sparse";
import { type InForce, nothingInForce } from "./in-force";
import { leaveLinkLocal } from "./link-local";
import { byHand, type Step, warning } from "./step";

/** What must not just leave with a change, and what to do first. @param next Undefined: described no more. */
export function steps(before: InForce, next: InForce | undefined): Step[] {
  // No controller prunes anything of a folder that is gone.
  if (!next && before.controller) return [];
  const after = next ?? nothingInForce;
  // Flux prunes nothing once it is left.
  const leavesObjects = before.controller?.name === "Flux" && after.controller?.name !== "Flux";
  return dense([
    !leavesObjects && leaveLinkLocal(before, after),
    changeDnsAddress(before, after),
    changeClusterDomain(before, after),
    leaveCoreDns(before, after),
    !leavesObjects && leaveNodeResolver(before, after),
    moveKustomizations(before, after),
  ]);
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
function changeDnsAddress({ dnsAddresses: old }: InForce, { dnsAddresses: now }: InForce): Step | undefined {
  if (old.length === 0 || now.length === 0) return undefined;
  const lost = old.filter((address) => !now.includes(address)).join(" and ");
  const isSameFirst = old[0] === now[0];
  if (lost === "" && isSameFirst) return undefined;
  if (lost === "")
    return warning(
      "reorder-dns-addresses",
      `another first address takes a new Service ${names.dnsService}. From the deletion of the old one until the new one is applied, only node caches answer at ${old.join(" and ")}. Do both in the same moment (${byHandInDocs})`,
    );
  if (isSameFirst)
    return warning(
      "take-dns-address",
      `Service ${names.dnsService} loses ${lost}, and nobody answers there from then on. First have kubelets name ${now.join(" and ")}, and replace all pods`,
    );
  return warning(
    "move-dns-address",
    `Service ${names.dnsService} leaves ${lost}, and nobody answers there from then on. Pods and caches ask there until they are replaced. Put a Service of your own at ${lost} in the same moment, and keep it until nobody asks there (${byHandInDocs})`,
  );
}

/** Running pods keep the search list that they started with. */
function changeClusterDomain({ domain: old }: InForce, { domain: now, stubZones }: InForce): Step | undefined {
  if (old === undefined || now === undefined) return undefined;
  // A stub domain above it need not know the cluster's Services.
  if (old === now || stubZones.includes(old)) return undefined;
  // What is in the new one, we answer ourselves.
  const other = inZone(old, now)
    ? "Do"
    : `Have a CoreDNS of your own answer ${old}, and name it in stubDomains in this commit, or do`;
  return warning(
    "change-cluster-domain",
    `the cluster domain changes from ${old} to ${now}. Running pods keep the search list of ${old}, where nobody answers any more: they have no DNS for Services until they are replaced. ${other} this in a maintenance window (${byHandInDocs})`,
  );
}

/** Our CoreDNS has kubeadm's name, so it may be the only one that the cluster has. Flux leaves it. */
function leaveCoreDns({ coreDns, controller }: InForce, after: InForce): Step | undefined {
  if (coreDns === undefined || after.coreDns !== undefined || controller?.name === "Flux") return undefined;
  const workload = `${coreDns} kube-system/${names.authoritativeDns}`;
  const alone = "the cluster has no DNS unless other pods answer behind Service kube-dns";
  if (controller === undefined && after.controller)
    return warning(
      "leave-core-dns",
      `this renders no CoreDNS. ${workload} runs until somebody deletes it, even if it was taken over in place. Then ${alone}. First see that others answer, or keep it (${byHandInDocs})`,
    );
  const first = controller ? "First" : "Flux and kubectl leave it. Under Argo CD, first";
  return warning(
    "leave-core-dns",
    `this renders no CoreDNS. Argo CD deletes ${workload}, even if it was taken over in place. Then ${alone}. ${first} see that others answer, or have Argo CD keep these (${byHandInDocs})`,
  );
}

function leaveNodeResolver(before: InForce, after: InForce): Step | undefined {
  if (before.nodeResolver !== "enabled" || after.nodeResolver !== undefined) return undefined;
  return warning(
    "leave-node-resolver",
    `the node-resolver leaves without a cleanup. Its lines stay in every node's /etc/hosts, and nothing keeps them right. First set nodeResolver.state: removed (${inDocs("node-resolver", "Leaving")})`,
  );
}

/** The old namespace prunes them, and their end deletes what they applied. */
function moveKustomizations({ controller: old }: InForce, { controller: now }: InForce): Step | undefined {
  if (old?.name !== "Flux" || now?.name !== "Flux" || old.namespace === now.namespace) return undefined;
  return warning(
    "move-kustomizations",
    `Flux's Kustomizations move from namespace ${old.namespace} to ${now.namespace}. Flux deletes what the old ones applied, before or after the new ones apply it. First delete the old ones, by the steps that plain diff lists`,
  );
}
