import type { Description } from "../config/read-description";
import { clusterOf } from "../model/cluster/cluster";
import { bySize } from "../model/effective/by-size";
import { effective } from "../model/effective/effective";
import { everyKey, type KeySchema, type KeyValue, switchedOn } from "../model/effective/every-key";
import { traces } from "../model/query-path/trace";
import { isMapping } from "../model/syntax/mapping";
import { formatPath, isBelow } from "../model/syntax/problem";

/** The value of a key: null if it has none. */
export interface Value {
  readonly key: string;
  readonly value: unknown;
  /** Null for a default. */
  readonly from: { readonly file: string; readonly line: number; readonly column: number } | null;
  readonly remark?: string | undefined;
}

/** The values in effect, and the paths of queries. @param isOnlySet Whether to leave out what nobody set. */
export function explain(
  { props, cluster, originOf }: Pick<Description, "props" | "cluster" | "originOf">,
  schema: KeySchema,
  isOnlySet = false,
) {
  const keys = everyKey(schema, effective(props, cluster));
  const { reasons, derived } = bySize(cluster);
  const usual = isOnlySet ? usualValues(props, schema) : undefined;
  const values = withSwitches(keys, switchesIn(props)).flatMap(
    ({ path, value, remark, isDefault }): Value | Value[] => {
      const origin = originOf(path, value);
      const key = formatPath(path);
      const why = remark ?? (origin ? undefined : reasons[key]);
      const follows = value !== undefined && value !== null && isDefault !== true && usual?.get(key) !== flat(value);
      if (usual && !origin && !follows) return [];
      return {
        key,
        value: value ?? null,
        from: origin ? { file: origin.file, ...origin.position } : null,
        ...(why !== undefined && { remark: why }),
      };
    },
  );
  return {
    values,
    /** What follows from these, and has no key. */
    derived,
    paths: traces(cluster.said),
  };
}

/** Those of a cluster file that only switches the same on, in the mode in which most keys have an effect. */
function usualValues(props: Description["props"], schema: KeySchema): Map<string, string> {
  const { clusterDNS, agentImage } = props;
  const needed = { clusterDNS, kubeProxyMode: "iptables", ...(agentImage !== undefined && { agentImage }) } as const;
  const usual: Description["props"] = { ...switchedOn(schema, { ...props }), ...needed };
  const keys = everyKey(schema, effective(usual, clusterOf(usual)));
  return new Map(keys.map(({ path, value }) => [formatPath(path), flat(value)]));
}

function flat(value: unknown): string {
  return JSON.stringify(value ?? null);
}

/** Where a description switches something on, and leaves the rest to defaults: `monitoring: {}`, `smokeTest: true`. */
function switchesIn(value: unknown, path: KeyValue["path"] = []): KeyValue[] {
  if (isMapping(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, child]) => switchesIn(child, [...path, key]));
  return isMapping(value) || value === true ? [{ path, value }] : [];
}

function withSwitches(keys: readonly KeyValue[], switches: readonly KeyValue[]): KeyValue[] {
  const rest = [...switches];
  return keys.flatMap((key) => {
    const at = rest.findIndex(({ path }) => path.length < key.path.length && isBelow(key.path, path));
    return at < 0 ? [key] : [...rest.splice(at, 1), key];
  });
}
