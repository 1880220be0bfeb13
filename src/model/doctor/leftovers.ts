import type { ConfigMap, Service, Workload } from "../kubernetes/kinds";
import { type Metadata, namespacedName } from "../kubernetes/object";
import { isOurs, names, namespace } from "../object-names";
import { ownerOf } from "../running/owner";
import { type Finding, some } from "./finding";
import { type Described, type Observed, rendered } from "./observed";
import { olderPods, unreadKubelets } from "./unread-kubelets";

/** Another node-local-dns: its rules, links and caches on a node are in the way of ours. */
export function leftovers(observed: Observed, described?: Described): Finding[] {
  // Without one of our own, it is the cluster's.
  if (described?.cluster.queryPath === undefined || described.cluster.queryPath.state === "disabled") return [];
  const { workloads, configMaps, services } = observed;
  const used = inUse(observed, described);
  const removing = (kind: string, name: string) =>
    used?.next ?? [
      `kubectl delete ${kind.toLowerCase()} ${name} -n ${namespace}${kind === "ConfigMap" ? "" : olderPods}`,
    ];
  const caches = (workloads ?? []).filter((each) => isForeign(each) && (isNamed(each) || runsNodeCache(each)));
  const others = [
    ...(configMaps ?? []).filter((each) => isForeign(each) && isNamed(each)).map(asObject("ConfigMap")),
    ...(services ?? [])
      .filter((each) => isForeign(each) && (isNamed(each) || isUnusedUpstream(each, described)))
      .map(asObject("Service")),
  ];
  return [
    ...caches.map((each): Finding => {
      const { kind, metadata } = each;
      const owner = ownerOf({ ...each, metadata });
      return {
        severity: "error",
        title: "another node-local-dns runs",
        where: `${kind} ${namespacedName(each)}`,
        evidence: [
          [
            ...labelled(each),
            `image ${each.spec.template.spec.containers.map(({ image }) => image).join(", ")}`,
            ...shared(each, described),
          ].join(", "),
          ...(used?.evidence ?? []),
          ...(owner ? [`${owner.name} would restore it (${owner.mark}): turn it off there`] : []),
        ],
        next: removing(kind, metadata.name),
      };
    }),
    ...others.map(({ kind, object }): Finding => ({
      severity: "warning",
      title: "is left of another node-local-dns",
      where: `${kind} ${namespacedName(object)}`,
      evidence: [
        [...labelled(object), "nothing that the cluster file renders uses it"].join(", "),
        ...(used?.evidence ?? []),
      ],
      next: removing(kind, object.metadata.name),
    })),
  ];
}

/** Kubelets that lead pods to an address that is not the cluster file's: nothing would answer there any more. */
function inUse(observed: Observed, described: Described): Pick<Finding, "evidence" | "next"> | undefined {
  const { cluster, folder, name } = described;
  const own = new Set([...cluster.kubelet.clusterDNS, ...cluster.nameservers, ...cluster.clusterDNS]);
  const others = [...observed.kubelets].flatMap(([node, { clusterDNS = [] }]) => {
    const addresses = clusterDNS.filter((address) => !own.has(address));
    return addresses.length > 0 ? [{ node, addresses }] : [];
  });
  const unread = unreadKubelets(observed);
  if (others.length === 0 && unread === undefined) return undefined;
  const addresses = [...new Set(others.flatMap((each) => each.addresses))].join(", ");
  return {
    evidence: [
      others.length === 0
        ? `${unread}: pods may still use it`
        : `kubelets lead pods to ${addresses} (${some(others.map(({ node }) => node))}), which the cluster file does not have: delete nothing yet`,
    ],
    next: [
      `cat ${folder}/${name}/kubelet/50-cluster-dns.conf  # for the kubelets' --config-dir; then restart kubelets and all pods, and ask the doctor again`,
    ],
  };
}

/** The addresses that both caches of a node listen on. */
function shared({ spec }: Workload, { cluster }: Described): string[] {
  const said = spec.template.spec.containers.flatMap(({ args = [] }) => args).join(" ");
  const [, addresses = ""] = /-localip[ =]([^ ]+)/.exec(said) ?? [];
  const both = addresses.split(",").filter((address) => cluster.queryPath?.listenAddresses.includes(address));
  return both.length > 0 ? [`two caches share ${both.join(", ")}, and the rules for it, on a node`] : [];
}

type Named = { readonly metadata: Metadata };

function asObject(kind: string): (object: ConfigMap | Service) => { kind: string; object: Named } {
  return (object) => ({ kind, object });
}

function isForeign(object: Named): boolean {
  return !isOurs(object);
}

/** As kubespray, kOps, addon managers and the manifest of Kubernetes name it. */
function isNamed({ metadata: { name, labels = {} } }: Named): boolean {
  const app = labels["k8s-app"] ?? "";
  const addon = labels["addon.kops.k8s.io/name"] ?? labels["k8s-addon"] ?? "";
  return (
    [name, app].some((each) => /^node-?local-?dns(-cache|-second)?$/.test(each)) || addon.startsWith("nodelocaldns")
  );
}

function runsNodeCache({ spec }: Workload): boolean {
  return spec.template.spec.containers.some(({ image = "" }) => /k8s-dns-node-cache/.test(image));
}

function isUnusedUpstream({ metadata }: Service, described: Described): boolean {
  const isRendered = rendered<Service>(described, "Service").some(
    (each) => each.metadata.name === names.upstreamService,
  );
  return metadata.name === names.upstreamService && !isRendered;
}

/** Labels that name who installed it. */
function labelled({ metadata: { labels = {} } }: Named): string[] {
  return Object.entries(labels)
    .filter(([key]) => /^(addon|k8s-addon|kubernetes\.io\/cluster-service|app\.kubernetes\.io\/managed-by)/.test(key))
    .map((pair) => pair.join("="));
}
