import { pathSvg } from "../../src/cli/path-svg";
import { explain, type Value } from "../../src/cli/explanation";
import { clusterNameRule, isClusterName } from "../../src/config/list-cluster-files";
import type { LocatedProblem } from "../../src/config/located-problem";
import { originOf } from "../../src/config/origin";
import { parseYaml } from "../../src/config/parse-yaml";
import { descriptionOf, resolveFiles } from "../../src/config/resolve-files";
import type { KeySchema } from "../../src/model/effective/every-key";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { blocksOf } from "../../src/model/query-path/blocks";
import { render } from "../../src/output/rendering";

/** What the editor shows of a cluster file. */
export type Synthesis =
  | { readonly problems: readonly LocatedProblem[] }
  | {
      readonly problems: readonly [];
      /** What users may not expect. */
      readonly notes: readonly string[];
      /** The files that `synth` writes: path below `dist/`, contents. */
      readonly files: readonly (readonly [path: string, contents: string])[];
      readonly values: readonly Value[];
      /** The paths of queries, as `explain --format svg` draws them. */
      readonly paths: string;
    };

/**
 * What `synth` and `explain` say of one cluster file without a defaults file, by the same code.
 *
 * @param name The cluster's.
 * @param text The contents of `clusters/NAME.yaml`.
 */
export function synthesize(name: string, text: string, schema: KeySchema): Synthesis {
  if (!isClusterName(name))
    return { problems: [{ message: `"${name}" is not a cluster's name; accepted: ${clusterNameRule}` }] };
  const file = parseYaml(`clusters/${name}.yaml`, text);
  const resolved = resolveFiles([file]);
  if ("problems" in resolved) return { problems: resolved.problems };
  const { cluster } = resolved;
  // `resolveFiles` has checked it.
  const props = descriptionOf([file]) as ClusterDnsProps;
  const description = {
    props,
    cluster,
    originOf: (path: Parameters<typeof originOf>[1], value: unknown) => originOf([file], path, value),
  };
  const { values, paths } = explain(description, schema);
  return {
    problems: [],
    notes: cluster.notes,
    files: [...render({ name, files: [file.file], description: props, cluster }).files],
    values,
    paths: pathSvg(name, blocksOf(paths)),
  };
}
