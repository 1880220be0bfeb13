import { readFileSync } from "node:fs";
import { type KubernetesObject, type RenderedCluster, renderCluster } from "../charts/render-cluster";
import { formatProblem } from "../config/located-problem";
import { parseYaml } from "../config/parse-yaml";
import { clusterOf } from "../model/cluster/cluster";
import { tooLarge } from "../model/object-size";
import type { ClusterDnsProps } from "../model/props/cluster-dns";
import { formatPath, type Problem } from "../model/syntax/problem";
import type { Files } from "./cluster-files";

/** The objects the API server would refuse as too large, each with the part of the cluster file that makes it so. */
export function sizeProblems(clusterFile: string, rendered: RenderedCluster, files: Files): string[] {
  // Its YAML is longer than an object's content, but a character may have four bytes.
  if (![...files.values()].some((text) => text.length > 256 * 1024)) return [];
  const large = largeObjects(rendered);
  if (large.size === 0) return [];
  // Read again: the file's text is not kept, and this is rare.
  const yaml = parseYaml(clusterFile, readFileSync(clusterFile, "utf8"));
  const causeOf = causes(yaml.value as ClusterDnsProps);
  return [...large].map(([object, size]) => {
    const path = causeOf(object);
    const advice = path[0] === "tenancy" ? "use membership: prefix, or fewer tenants" : "shorten it";
    const message = `${formatPath(path)}: makes ${size}; ${advice}`;
    return formatProblem({ file: clusterFile, position: yaml.positionOf(path, "key"), message });
  });
}

/** Objects that are too large, by kind and name, with the message for each. */
function largeObjects({ components }: RenderedCluster): Map<string, string> {
  return new Map(
    components.flatMap(({ objects }) =>
      objects.flatMap((object) => {
        const size = tooLarge(object);
        return size === undefined ? [] : [[identity(object), size] as const];
      }),
    ),
  );
}

/** Finds what makes an object too large: the largest part of the description without which it is not. */
function causes(props: ClusterDnsProps): (object: string) => Problem["path"] {
  const parts = Object.entries(props)
    .filter(([key]) => key !== "clusterDNS" && key !== "kubeProxyMode")
    .map(([key, value]: [string, unknown]) => ({ key, value, length: lengthOf(value) }))
    .sort((a, b) => b.length - a.length);
  const stillLarge = new Map<string, Map<string, string>>();
  const isEnough = (key: string, object: string) => {
    const large = stillLarge.get(key) ?? largeObjects(renderCluster(clusterOf({ ...props, [key]: undefined })));
    stillLarge.set(key, large);
    return !large.has(object);
  };
  return (object) => {
    const part = parts.find(({ key }) => isEnough(key, object)) ?? parts[0];
    return part ? [part.key, ...mostOf(part.value)] : [];
  };
}

/** The path to the part that makes up more than half of a value. */
function mostOf(value: unknown): Problem["path"] {
  if (typeof value !== "object" || value === null) return [];
  const half = lengthOf(value) / 2;
  const found = Object.entries(value).find(([, child]) => lengthOf(child) > half);
  return found ? [Array.isArray(value) ? Number(found[0]) : found[0], ...mostOf(found[1])] : [];
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

/** A configuration's name ends with its hash. */
function identity({ kind, metadata: { name } }: KubernetesObject): string {
  return `${kind} ${name.replace(/-[0-9a-f]{10}$/, "")}`;
}
