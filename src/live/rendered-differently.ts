import { renderCluster } from "../charts/render-cluster";
import type { Cluster } from "../model/cluster/cluster";
import { toldDifference, unlikeRendered } from "../model/kubernetes/unlike-rendered";
import type { KubernetesObject } from "../model/kubernetes/object";
import { some } from "../model/syntax/some";

type LiveObject = Pick<KubernetesObject, "kind"> & { readonly metadata: { readonly name: string } };

/** Workloads and Services, each with what differs. Configurations are compared by their names, which have hashes. */
export function renderedDifferently(cluster: Cluster, live: readonly LiveObject[]): string[] {
  const rendered = renderCluster(cluster).components.flatMap(({ objects }) => objects.filter(isCompared));
  const names = new Set(live.map(nameOf));
  return [
    ...live.filter(isCompared).flatMap((object) => {
      const same = rendered.find((each) => nameOf(each) === nameOf(object));
      if (!same) return [`${nameOf(object)}: not rendered`];
      const found = unlikeRendered(object, same).map((each) => toldDifference(each, "the new file renders"));
      return found.length === 0 ? [] : [`${nameOf(object)}: ${some(found, 3, "; ")}`];
    }),
    ...rendered.filter((object) => !names.has(nameOf(object))).map((object) => `${nameOf(object)}: would be new`),
  ];
}

function isCompared({ kind }: LiveObject): boolean {
  return kind === "Deployment" || kind === "DaemonSet" || kind === "Service";
}

function nameOf({ kind, metadata: { name } }: LiveObject): string {
  return `${kind} ${name}`;
}
