import type { ConfigMap, Service, Workload } from "../kubernetes/kinds";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { isOurs, names } from "../object-names";
import { localIPs } from "../running/core-dns";
import { ownerOf } from "../running/owner";
import { finding, type Findings } from "./finding";
import { type Described, rendered } from "./described";
import { olderPods, stillInUse } from "./still-in-use";
import type { Patient } from "./patient";
import { deleting, noted, type Steps } from "./steps";

/** Another node-local-dns: its rules, links and caches on a node are in the way of ours. */
export function leftovers(patient: Patient): Findings {
  // Without one of our own, it is the cluster's.
  const { state, described } = patient;
  if (described?.cluster.queryPath === undefined || described.cluster.queryPath.state === "disabled") return [];
  const used = stillInUse(state, described);
  const removing = (object: KubernetesObject): Steps => {
    const remove = deleting(object);
    return used?.next ?? (object.kind === "ConfigMap" ? remove : noted(remove, olderPods));
  };
  const { configMaps = [], services = [] } = state;
  const { caches } = patient.dns;
  const left: readonly (ConfigMap | Service)[] = [
    ...configMaps.filter(isNamed),
    ...services.filter((each) => isNamed(each) || isUnusedUpstream(each, described)),
  ];
  return [
    caches
      .filter((each) => !isOurs(each))
      .map((each) => {
        const owner = ownerOf(each);
        const images = each.spec.template.spec.containers.map(({ image }) => image).join(", ");
        const evidence = [
          [...labelled(each), `image ${images}`, ...shared(each, described)].join(", "),
          used?.evidence,
          owner && `${owner.name} would restore it (${owner.mark}): turn it off there`,
        ];
        return finding("other-cache", identity(each), evidence, removing(each));
      }),
    left
      .filter((each) => !isOurs(each))
      .map((each) => {
        const evidence = [...labelled(each), "nothing that the cluster file renders uses it"].join(", ");
        return finding("other-cache-left", identity(each), [evidence, used?.evidence], removing(each));
      }),
  ];
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

function isUnusedUpstream({ metadata }: Service, described: Described): boolean {
  const isUpstream = (name: string) => name === names.upstreamService;
  return isUpstream(metadata.name) && !rendered(described, "Service").some((each) => isUpstream(each.metadata.name));
}

/** Labels that name who installed it. */
function labelled({ metadata: { labels = {} } }: KubernetesObject): string[] {
  return Object.entries(labels)
    .filter(([key]) => /^(addon|k8s-addon|kubernetes\.io\/cluster-service|app\.kubernetes\.io\/managed-by)/.test(key))
    .map((pair) => pair.join("="));
}
