import { renderCluster } from "../charts/render-cluster";
import type { Cluster } from "../model/cluster/cluster";
import { differences, type Difference } from "../model/changes/differences";
import { formatPath } from "../model/syntax/problem";
import { show } from "../model/syntax/show";

/** An object in a cluster. */
interface LiveObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/**
 * Objects in a cluster that its description would render differently, each with what differs. Configurations are
 * compared by the names, which contain their hashes, that workloads mount.
 */
export function unlike(cluster: Cluster, live: readonly LiveObject[]): string[] {
  const rendered = renderCluster(cluster).components.flatMap(({ objects }) => objects);
  return live
    .filter(({ kind }) => kind === "Deployment" || kind === "DaemonSet" || kind === "Service")
    .flatMap((object) => {
      const { kind, metadata } = object;
      const same = rendered.find((each) => each.kind === kind && each.metadata.name === metadata.name);
      if (!same) return [`${kind} ${metadata.name}: not rendered`];
      const found = differences(object, same).filter(isOfUs);
      return found.length === 0 ? [] : [`${kind} ${metadata.name}: ${list(found)}`];
    });
}

/** The API server adds defaults, and drops what is empty. */
function isOfUs({ before, after }: Difference): boolean {
  const isEmpty = typeof after === "object" && Object.keys(after ?? {}).length === 0;
  return after !== undefined && !(before === undefined && isEmpty);
}

function list(found: readonly Difference[]): string {
  const shown = found
    .slice(0, 3)
    .map(
      ({ path, before, after }) =>
        `${formatPath(path)} is ${before === undefined ? "not set" : show(before)}, would be ${show(after)}`,
    );
  return [...shown, ...(found.length > 3 ? [`and ${found.length - 3} more`] : [])].join("; ");
}
