import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Description, readDescription } from "../config/read-description";
import { withAgentImage } from "../model/agent-image";
import { effective } from "../model/effective/effective";
import { everyKey, type KeySchema, type KeyValue } from "../model/effective/every-key";
import { blocksOf } from "../model/query-path/blocks";
import { traces, type Trace } from "../model/query-path/trace";
import { isMapping } from "../model/syntax/mapping";
import { formatPath } from "../model/syntax/problem";
import type { Command } from "./command";
import { oneCluster } from "./one-cluster";
import { formatOf, report } from "./outcome";
import { pathMermaid } from "./path-mermaid";
import { pathSvg } from "./path-svg";
import { pathText } from "./path-text";
import { lines } from "./print";

export const command: Command = {
  help: `Shows the values in effect for a cluster, where each comes from, and the path of a query.

Usage: npx cdk8s-cluster-dns explain [--clusters DIR] [--format text|mermaid|svg|json] NAME

  NAME             the cluster
  --clusters DIR   the folder of the cluster files (default: clusters)
  --format FORMAT  text: values and paths; mermaid, svg: a picture of the paths; json: everything (default: text)
`,
  options: {
    clusters: { type: "string", default: "clusters" },
    format: { type: "string", default: "text" },
  },

  run(options, names) {
    const folder = String(options["clusters"]);
    const name = oneCluster(names, folder);
    const format = formatOf(options, ["text", "mermaid", "svg", "json"]);
    const read = readDescription(folder, name);
    const outcome = "problems" in read ? read : { problems: [], result: explain(read) };
    return report(outcome, format === "json", (explanation) => {
      const blocks = blocksOf(explanation.paths);
      if (format === "mermaid") return pathMermaid(blocks);
      if (format === "svg") return pathSvg(name, blocks);
      return `${valuesText(explanation.values)}\n${pathText(blocks)}`;
    });
  },
};

interface Explanation {
  readonly values: readonly Value[];
  readonly paths: readonly Trace[];
}

/** The value of a key: null if it has none. */
interface Value {
  readonly key: string;
  readonly value: unknown;
  /** Null for a default. */
  readonly from: { readonly file: string; readonly line: number; readonly column: number } | null;
  readonly remark?: string | undefined;
}

function explain({ props, cluster, originOf }: Description): Explanation {
  const keys = everyKey(schema(), effective(props, cluster));
  const values = withSwitches(keys, switchesIn(props)).map(({ path, value, remark }): Value => {
    const origin = originOf(path, value);
    return {
      key: formatPath(path),
      value: value ?? null,
      from: origin ? { file: origin.file, ...origin.position } : null,
      ...(remark !== undefined && { remark }),
    };
  });
  return { values, paths: traces(withAgentImage(props)) };
}

/** Where a description switches something on, and leaves the rest to defaults: `monitoring: {}`, `smokeTest: true`. */
function switchesIn(value: unknown, path: KeyValue["path"] = []): KeyValue[] {
  if (isMapping(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, child]) => switchesIn(child, [...path, key]));
  return isMapping(value) || value === true ? [{ path, value }] : [];
}

/** Each switch before the keys below it. */
function withSwitches(keys: readonly KeyValue[], switches: readonly KeyValue[]): KeyValue[] {
  const rest = [...switches];
  return keys.flatMap((key) => {
    const at = rest.findIndex(
      ({ path }) => path.length < key.path.length && path.every((step, i) => step === key.path[i]),
    );
    return at < 0 ? [key] : [...rest.splice(at, 1), key];
  });
}

function valuesText(values: readonly Value[]): string {
  const rows = values.map((value) => ({ value, text: `${value.key}: ${shown(value)}` }));
  // A few long values do not move the rest apart.
  const width = Math.min(60, Math.max(...rows.map(({ text }) => text.length)));
  return lines(rows.map(({ value, text }) => `${text.padEnd(width)}  # ${source(value)}`));
}

function shown({ value }: Value): string {
  if (value === null) return "";
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}

function source({ from, remark }: Value): string {
  return from ? `${from.file}:${from.line}` : (remark ?? "default");
}

/** Of the package, as published and in a clone. */
function schema(): KeySchema {
  return JSON.parse(readFileSync(resolve(__dirname, "../../clusters/schema.json"), "utf8")) as KeySchema;
}
