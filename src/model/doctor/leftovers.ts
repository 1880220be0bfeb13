import type { ConfigMap, Service, Workload } from "../kubernetes/kinds";
import { differences } from "../kubernetes/differences";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { isOurs, names } from "../object-names";
import { localIPs } from "../running/core-dns";
import { restorerOf } from "../running/restorer";
import { isSame } from "./drift";
import { finding, type Findings } from "./finding";
import { applying, type Described } from "./described";
import { olderPods, stillInUse } from "./still-in-use";
import type { Patient } from "./patient";
import { type Suggestions, about, noted } from "./suggestions";

/** Another node-local-dns: its rules, links and caches on a node are in the way of ours. */
export function leftovers(patient: Patient): Findings {
  // Without one of our own, it is the cluster's.
  const { state, described } = patient;
  if (described?.cluster.queryPath === undefined || described.cluster.queryPath.state === "disabled") return [];
  const used = stillInUse(state, described);
  const removing = (object: KubernetesObject): Suggestions => {
    const remove = about(object, "delete");
    return used?.next ?? (object.kind === "ConfigMap" ? remove : noted(remove, olderPods));
  };
  const { configMaps = [], services = [] } = state;
  const others = patient.dns.caches.filter((each) => !isOurs(each));
  // What runs may still use them.
  const left = others.length > 0 ? [] : [...configMaps, ...services].filter((each) => isLeft(each, patient));
  return [
    others.map((each) => {
      const owner = restorerOf(each);
      const images = each.spec.template.spec.containers.map(({ image }) => image).join(", ");
      const isChanged = changesInPlace(each, patient);
      const evidence = [
        [...labelled(each), `image ${images}`, ...(isChanged ? [] : shared(each, described))].join(", "),
        !isChanged && used?.evidence,
        isChanged &&
          "it has the name of ours, which takes its place when the cluster file is applied: do not delete it",
        owner && `${owner.name} would restore it (${owner.mark}): turn it off there`,
      ];
      return finding("other-cache", identity(each), evidence, isChanged ? applying(described) : removing(each));
    }),
    left.map((each) => {
      const evidence = [...labelled(each), "nothing that the cluster file renders uses it"].join(", ");
      return finding("other-cache-left", identity(each), [evidence, used?.evidence], removing(each));
    }),
  ];
}

/** A selector cannot change: one with another has to go first. */
function changesInPlace(cache: Workload, patient: Patient): boolean {
  const ours = patient.renderedWorkloads.find((each) => isSame(each, cache));
  return ours !== undefined && differences(ours.spec.selector, cache.spec.selector).length === 0;
}

/** Whether only another node-local-dns had it. */
function isLeft(object: ConfigMap | Service, patient: Patient): boolean {
  const isUsed = patient.rendered(object.kind).some((each) => isSame(each, object));
  const isUpstream = object.kind === "Service" && object.metadata.name === names.upstreamService;
  return !isOurs(object) && !isUsed && (isUpstream || isNamed(object));
}

/** The addresses that both caches of a node listen on. */
function shared({ spec }: Workload, { cluster }: Described): string[] {
  const both = localIPs(spec.template.spec).filter((each) => cluster.queryPath?.listenAddresses.includes(each));
  return both.length > 0 ? [`two caches share ${both.join(", ")}, and the rules for it, on a node`] : [];
}

/** As kubespray, kOps, addon managers and the manifest of Kubernetes name it. */
function isNamed({ metadata: { name, labels = {} } }: KubernetesObject): boolean {
  const app = labels["k8s-app"] ?? "";
  const addon = labels["addon.kops.k8s.io/name"] ?? labels["k8s-addon"] ?? "";
  return (
    [name, app].some((each) => /^node-?local-?dns(-cache|-second)?$/.test(each)) || addon.startsWith("nodelocaldns")
  );
}

/** Labels that name who installed it. */
function labelled({ metadata: { labels = {} } }: KubernetesObject): string[] {
  return Object.entries(labels)
    .filter(([key]) => /^(addon|k8s-addon|kubernetes\.io\/cluster-service|app\.kubernetes\.io\/managed-by)/.test(key))
    .map((pair) => pair.join("="));
}
