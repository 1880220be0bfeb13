import type { Service } from "../kubernetes/kinds";
import { namespacedName } from "../kubernetes/object";
import { authoritativeLabels, names, namespace } from "../object-names";
import { show } from "../syntax/show";
import { type Finding, some } from "./finding";
import { applying, type Described, type Observed, rendered, sameName } from "./observed";
import { olderPods, unreadKubelets } from "./unread-kubelets";

/** Services that are missing, or other than the cluster file says. */
export function services(observed: Observed, described?: Described): Finding[] {
  const { services: live } = observed;
  if (!live) return [];
  const all = rendered<Service>(described, "Service");
  const existing = all.some(isDnsService) ? [] : ofCluster(live, described);
  if (!described) return existing;
  const ours = all.flatMap((wanted): Finding[] => {
    const where = `Service ${namespacedName(wanted)}`;
    // Of a headless Service, only metrics depend.
    const severity = wanted.spec.clusterIP === "None" ? "warning" : "error";
    const service = sameName(live, wanted);
    const [look, apply] = [`kubectl get service ${wanted.metadata.name} -n ${namespace} -o yaml`, applying(described)];
    if (!service) {
      const evidence = ["the cluster file renders it, the cluster does not have it"];
      return [{ severity, title: "is missing", where, evidence, next: [look, ...apply] }];
    }
    const fields = unlike(service, wanted);
    if (fields.length === 0) return [];
    const told = fields.map(({ field, is, says }) => `${field} is ${show(is)}, the cluster file renders ${show(says)}`);
    const { evidence, next } = mending(
      service,
      wanted,
      fields.map(({ field }) => field),
      observed,
      apply,
    );
    return [
      {
        severity,
        title: "is not as described",
        where,
        evidence: [...told, ...evidence],
        next: [look, ...next],
      },
    ];
  });
  return [...existing, ...ours];
}

/** The cluster's own DNS Service, which we do not render. */
function ofCluster(live: readonly Service[], described: Described | undefined): Finding[] {
  const service = live.find(isDnsService);
  // One that the cluster file only names may be in another namespace, as OpenShift's is.
  if (!service) return [described ? { ...withoutService, ...elsewhere } : withoutService];
  const { clusterIPs = [] } = service.spec;
  const wanted = described?.cluster.clusterDNS ?? clusterIPs;
  if (clusterIPs.join() === wanted.join()) return [];
  return [
    {
      severity: "error",
      title: "is not as described",
      where: `Service ${namespacedName(service)}`,
      evidence: [`clusterIPs is ${show(clusterIPs)}, the cluster file says clusterDNS: ${show(wanted)}`],
      next: [`kubectl get service ${service.metadata.name} -n ${namespace} -o yaml`],
    },
  ];
}

/** The Service that pods ask, under the name that kubeadm and most others give it. */
export function isDnsService({ metadata: { name, labels }, spec }: Service): boolean {
  const isLabelled = labels?.["k8s-app"] === authoritativeLabels["k8s-app"] && name !== names.upstreamService;
  return (name === names.dnsService || isLabelled) && spec.type !== "ExternalName" && spec.clusterIP !== "None";
}

const withoutService: Finding = {
  severity: "error",
  title: "is missing",
  where: `Service ${namespace}/${names.dnsService}`,
  evidence: ["no Service of kube-system has this name or the label k8s-app=kube-dns"],
  next: ["kubectl get services -n kube-system", "npx cdk8s-cluster-dns init NAME --context CONTEXT"],
};

const elsewhere: Pick<Finding, "severity" | "title" | "next"> = {
  severity: "warning",
  title: "is missing, or elsewhere: what it is was not compared with the cluster file",
  next: ["kubectl get services --all-namespaces"],
};

/**
 * Applying keeps ports and labels of a selector that somebody else has added, and cannot change the first address:
 * another one needs another Service, while pods that ask the first have no DNS.
 */
function mending(
  live: Service,
  { metadata: { name }, spec }: Service,
  fields: readonly Field[],
  observed: Observed,
  apply: readonly string[],
): { evidence: string[]; next: string[] } {
  // In a JSON patch, `add` also replaces.
  const operations = fields.flatMap((field) =>
    field === "clusterIPs"
      ? []
      : [{ op: "add", path: `/spec/${field}`, value: { internalTrafficPolicy: toAnyNode, ...spec }[field] }],
  );
  const patched = (type: string, change: unknown) =>
    `kubectl patch service ${name} -n ${namespace} --type=${type} -p '${JSON.stringify(change)}'`;
  const patch = operations.length === 0 ? [] : [patched("json", operations)];
  const [before, last] = [apply.slice(0, -1), apply.slice(-1)];
  if (!fields.includes("clusterIPs")) return { evidence: [], next: [...before, ...patch] };
  const [[primary = "", secondary], [wantedPrimary, wantedSecondary]] = [addressesOf(live), addressesOf({ spec })];
  if (primary === wantedPrimary) {
    // A second address can come and go, but not become another.
    const isOther = secondary !== undefined && wantedSecondary !== undefined;
    const without = isOther ? [patched("merge", { spec: { ipFamilyPolicy: "SingleStack" } })] : [];
    return { evidence: [], next: [...before, ...without, ...patch, ...last] };
  }
  const nodes = [...observed.kubelets]
    .filter(([, { clusterDNS }]) => clusterDNS?.includes(primary))
    .map(([node]) => node);
  if (nodes.length > 0)
    return {
      evidence: [`pods ask ${primary}, as kubelets tell them (${some(nodes)}): the cluster file is wrong, or they are`],
      next: [
        ...patch,
        `# set clusterDNS: [${addressesOf(live).join(", ")}] in the cluster file; for another address, change kubelets and restart pods first`,
        ...before,
      ],
    };
  const unread = unreadKubelets(observed);
  if (unread !== undefined && wantedPrimary !== "None")
    return {
      evidence: [`${unread}: if pods ask ${primary}, the cluster file is wrong`],
      next: [...patch, ...before],
    };
  const remove = `kubectl delete service ${name} -n ${namespace}${wantedPrimary === "None" ? "" : olderPods}`;
  return { evidence: [], next: [...before, remove, ...last] };
}

function addressesOf({ spec: { clusterIP, clusterIPs } }: Pick<Service, "spec">): readonly string[] {
  return clusterIPs ?? (clusterIP === undefined ? [] : [clusterIP]);
}

type Field = "clusterIPs" | "selector" | "ports" | "internalTrafficPolicy";

/** The API server's default. With `Local`, nodes without an endpoint of their own get no answer. */
const toAnyNode = "Cluster";

/** The fields that decide who is asked, as they are and as they should be. */
function unlike({ spec: is }: Service, { spec: wanted }: Service): { field: Field; is: unknown; says: unknown }[] {
  const all: { field: Field; is: unknown; says: unknown }[] = [
    { field: "clusterIPs", is: is.clusterIPs ?? is.clusterIP, says: wanted.clusterIPs ?? wanted.clusterIP },
    { field: "selector", is: sorted(is.selector), says: sorted(wanted.selector) },
    { field: "ports", is: portsOf(is), says: portsOf(wanted) },
    {
      field: "internalTrafficPolicy",
      is: is.internalTrafficPolicy ?? toAnyNode,
      says: wanted.internalTrafficPolicy ?? toAnyNode,
    },
  ];
  // The API server chooses addresses that are not asked for.
  const isChosen = (says: unknown) => says === undefined || (says === "None" && is.clusterIP === "None");
  return all.filter((each) => !isChosen(each.says) && JSON.stringify(each.is) !== JSON.stringify(each.says));
}

function sorted(labels: { readonly [label: string]: string } = {}): object {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `dns 53/UDP to 53` */
function portsOf({ ports = [] }: Service["spec"]): string[] {
  return ports
    .map(({ name = "", port, protocol = "TCP", targetPort = port }) =>
      `${name} ${port}/${protocol} to ${targetPort}`.trim(),
    )
    .sort();
}
