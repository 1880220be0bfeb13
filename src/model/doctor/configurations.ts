import { parseCorefile } from "../corefile/parse";
import { differences } from "../kubernetes/differences";
import type { ConfigMap, Pod, PodSpec, Workload } from "../kubernetes/kinds";
import { namespacedName } from "../kubernetes/object";
import { isCurrent, isOf, mountedConfigMaps, placeOf } from "../kubernetes/pods";
import { namespace } from "../object-names";
import { show } from "../syntax/show";
import { type Finding, grouped, some } from "./finding";
import { applying, type Described, inOurNamespace, type Observed, rendered, sameName, systemPods } from "./observed";

/** Configurations that are missing, changed by hand, unreadable, or not those that the running pods have. */
export function configurations(observed: Observed, described?: Described): Finding[] {
  const { configMaps, workloads, pods } = observed;
  const wanted = rendered<Workload>(described, "Deployment", "DaemonSet");
  return [
    ...(described && configMaps
      ? rendered<ConfigMap>(described, "ConfigMap")
          // A dashboard may be elsewhere, where nothing else is read.
          .filter(inOurNamespace)
          .flatMap((each) => changed(each, configMaps, observed, described))
      : []),
    ...(configMaps && workloads ? broken(configMaps, workloads, wanted, described) : []),
    ...(described && workloads
      ? wanted.flatMap((each) => {
          const live = sameName(workloads, each);
          return live
            ? [...otherConfiguration(live, each, described), ...(pods ? oldPods(live, systemPods(observed)) : [])]
            : [];
        })
      : []),
  ];
}

function changed(
  wanted: ConfigMap,
  configMaps: readonly ConfigMap[],
  observed: Observed,
  described: Described,
): Finding[] {
  const where = `ConfigMap ${namespacedName(wanted)}`;
  const live = sameName(configMaps, wanted);
  const mounts = (spec: PodSpec) => mountedConfigMaps(spec).includes(wanted.metadata.name);
  const users = rendered<Workload>(described, "Deployment", "DaemonSet").filter(({ spec }) =>
    mounts(spec.template.spec),
  );
  const severity = users.length > 0 ? "error" : "warning";
  if (!live) {
    const { workloads = users } = observed;
    const isMounted =
      workloads.some(({ spec }) => mounts(spec.template.spec)) ||
      systemPods(observed).some((pod) => isCurrent(pod) && mounts(pod.spec));
    // That it runs with another configuration says all: the cluster file was changed, and not applied yet.
    if (!isMounted && users.some((each) => sameName(workloads, each))) return [];
    return [
      {
        severity,
        title: "is missing",
        where,
        evidence: [
          isMounted ? "pods that mount it cannot start" : "the cluster file renders it, the cluster does not have it",
        ],
        next: applying(described),
      },
    ];
  }
  const found = differences(live.data ?? {}, wanted.data ?? {});
  if (found.length === 0) return [];
  const evidence = found.map(
    ({ path, before, after }) => `${path.join(".")}: ${firstDifference(String(before), String(after))}`,
  );
  const look = `kubectl get configmap ${wanted.metadata.name} -n ${namespace} -o yaml`;
  const apply = applying(described);
  // One that is immutable has the hash of its content in its name: somebody deleted and recreated it.
  const recreate = wanted.immutable ? [`kubectl delete configmap ${wanted.metadata.name} -n ${namespace}`] : [];
  const mend = [...apply.slice(0, -1), ...recreate, ...apply.slice(-1)];
  return [{ severity, title: "was changed by hand", where, evidence, next: [look, ...mend] }];
}

function firstDifference(is: string, wanted: string): string {
  const [a, b] = [is.split("\n"), wanted.split("\n")];
  const line = a.findIndex((each, i) => each !== b[i]);
  const at = line < 0 ? a.length : line;
  return `line ${at + 1} is ${show(a[at]?.trim() ?? "missing")}, the cluster file renders ${show(b[at]?.trim() ?? "nothing")}`;
}

/** Corefiles, as mounted, that CoreDNS cannot read. */
function broken(
  configMaps: readonly ConfigMap[],
  workloads: readonly Workload[],
  wanted: readonly Workload[],
  described: Described | undefined,
): Finding[] {
  const known = (each: Workload) => wanted.some(({ metadata }) => metadata.name === each.metadata.name);
  const isDns = (each: Workload) => (described ? known(each) : each.metadata.labels?.["k8s-app"] === "kube-dns");
  const mounted = new Set(workloads.filter(isDns).flatMap(({ spec }) => mountedConfigMaps(spec.template.spec)));
  return configMaps.flatMap((each): Finding[] => {
    const corefile = each.data?.["Corefile"];
    if (corefile === undefined || !mounted.has(each.metadata.name)) return [];
    try {
      parseCorefile(corefile);
      return [];
    } catch (error) {
      return [
        {
          severity: "error",
          title: "has a Corefile that cannot be read",
          where: `ConfigMap ${namespacedName(each)}`,
          evidence: [(error as Error).message],
          next: [`kubectl get configmap ${each.metadata.name} -n ${namespace} -o jsonpath='{.data.Corefile}'`],
        },
      ];
    }
  });
}

function otherConfiguration(live: Workload, wanted: Workload, described: Described): Finding[] {
  const [is, said] = [live, wanted].map(({ spec }) => mountedConfigMaps(spec.template.spec).sort().join(", "));
  if (is === said) return [];
  return [
    {
      severity: "warning",
      title: "has another configuration than described",
      where: `${live.kind} ${namespacedName(live)}`,
      evidence: [
        `it mounts ${is || "none"}, the cluster file renders ${said || "none"}: an earlier version, or changed by hand`,
      ],
      next: applying(described),
    },
  ];
}

function oldPods(workload: Workload, pods: readonly Pod[]): Finding[] {
  const { kind, metadata, spec } = workload;
  const now = mountedConfigMaps(spec.template.spec);
  const old = pods
    .filter((pod) => isCurrent(pod) && isOf(workload, pod))
    .filter((pod) => now.some((name) => !mountedConfigMaps(pod.spec).includes(name)));
  return grouped(old, (pod) => mountedConfigMaps(pod.spec).join(", ")).map(([mounted, same]): Finding => ({
    severity: "warning",
    title: "has pods of an earlier configuration",
    where: `${kind} ${namespacedName({ metadata })}`,
    evidence: [`${some(same.map(placeOf))} mount ${mounted || "none"}, new pods mount ${now.join(", ")}`],
    next: [`kubectl rollout status ${kind.toLowerCase()} ${metadata.name} -n ${namespace} --timeout=30s`],
  }));
}
