import { valueAt } from "../../config/origin";
import { overlay, type Part } from "../../config/overlay";
import { held } from "../../model/check/as-meant";
import { resolve, type Resolved } from "../../model/check/resolve";
import type { Cluster } from "../../model/cluster/cluster";
import type { ClusterDnsProps } from "../../model/props/cluster-dns";
import { differences } from "../../model/kubernetes/differences";
import { isMapping, own } from "../../model/syntax/mapping";
import { formatPath, type Problem } from "../../model/syntax/problem";
import { show } from "../../model/syntax/show";

/** What the clusters of a folder share, as its defaults file says it: descriptions mean something only beside it. */
export class Fleet {
  /** @param shared Empty without a defaults file. */
  constructor(private readonly shared: Part) {}

  says(...path: readonly string[]): unknown {
    return valueAt(this.shared, path);
  }

  /** What a cluster file has beside it, of all that is known. @param unusual The part that is not our default. */
  beside(all: Part, unusual: Part, shared = this.shared): Part {
    const kept = Object.entries(all).flatMap(([key, value]): [string, unknown][] => {
      const [ofOwn, ofShared] = [own(unusual, key), own(shared, key)];
      // An empty one says something by being there.
      const isEmpty = isMapping(value) && Object.keys(value).length === 0;
      if (isMapping(value) && !isEmpty && (ofShared === undefined || isMapping(ofShared))) {
        const below = this.beside(value, isMapping(ofOwn) ? ofOwn : {}, ofShared ?? {});
        return Object.keys(below).length === 0 ? [] : [[key, below]];
      }
      const isWritten = ofShared === undefined ? ofOwn !== undefined : differences(value, ofShared).length > 0;
      return isWritten ? [[key, value]] : [];
    });
    return Object.fromEntries(kept);
  }

  /** A fleet's own choices count, then what is known of the cluster. */
  first(known: Part): Part {
    return overlay(known, this.shared);
  }

  /** What a cluster gets from it that is not known of the cluster, `key: value`. */
  inherited(known: Part, shared = this.shared, path: readonly string[] = []): string[] {
    return Object.entries(shared).flatMap(([key, value]) => {
      const here = [...path, key];
      const ofOwn = own(known, key);
      if (ofOwn === undefined) return [`${formatPath(here)}: ${show(value)}`];
      return isMapping(ofOwn) && isMapping(value) ? this.inherited(ofOwn, value, here) : [];
    });
  }

  /** A description together with it. */
  with(description: Part): Part {
    return overlay(this.shared, description);
  }

  /** What a description means together with it, and with keys that the objects do not show. */
  resolve(description: Part): Resolved {
    return resolve({ ...needed, ...this.with(description) });
  }

  /** The cluster of a description, without whatever is still to be corrected in it. */
  cluster(description: Part): Cluster | undefined {
    return this.accepted(description)?.cluster;
  }

  /** The same, with what is accepted of the description. */
  accepted(description: Part): { readonly cluster: Cluster; readonly props: ClusterDnsProps } | undefined {
    let meant: Part = { ...needed, ...this.with(description) };
    for (let tries = 0; tries < 5; tries++) {
      const { cluster, problems = [] } = resolve(meant);
      if (cluster) return { cluster, props: meant as unknown as ClusterDnsProps };
      meant = { ...needed, ...withoutFaults(meant, problems) };
    }
    return undefined;
  }
}

type Path = Problem["path"];

/** Without what the problems are about; without what lacks it, if it is missing. Other entries of its list stay. */
function withoutFaults(description: Part, problems: readonly Problem[]): Part {
  const copy = structuredClone(description);
  const present = (path: Path): Path =>
    path.length > 1 && held(description, path) === undefined ? present(path.slice(0, -1)) : path;
  const paths = [
    ...new Map(problems.map(({ path }) => present(path)).map((path) => [formatPath(path), path])).values(),
  ];
  // What is deepest first, and entries from the end: others would move.
  const inTurn = paths.toSorted((a, b) => b.length - a.length || Number(b.at(-1)) - Number(a.at(-1)) || 0);
  for (const path of inTurn) {
    const [parent, key = ""] = [held(copy, path.slice(0, -1)), path.at(-1)];
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else if (isMapping(parent)) Reflect.deleteProperty(parent, key);
  }
  return copy;
}

/** Keys that every cluster file needs: its users add what the objects do not show. */
const needed = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" } as const;
