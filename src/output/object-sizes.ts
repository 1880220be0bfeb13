import { readFileSync } from "node:fs";
import { type KubernetesObject, type RenderedCluster, renderCluster } from "../charts/render-cluster";
import { formatProblem } from "../config/located-problem";
import { parseYaml } from "../config/parse-yaml";
import { clusterOf } from "../model/cluster/cluster";
import { tooLarge } from "../model/object-size";
import type { ClusterDnsProps } from "../model/props/cluster-dns";
import { formatPath, type Problem } from "../model/syntax/problem";
import type { Files } from "./cluster-files";

/** The objects of a cluster that the API server would not take, each with the place in the cluster file that makes it so large. */
export function sizeProblems(clusterFile: string, rendered: RenderedCluster, files: Files): string[] {
  // The text of an object is longer than its content, but a character may have four bytes.
  if (![...files.values()].some((text) => text.length > 256 * 1024)) return [];
  return rendered.components.flatMap(({ objects }) =>
    objects.flatMap((object) => {
      const size = tooLarge(object);
      return size === undefined ? [] : [explain(clusterFile, object, size)];
    }),
  );
}

function explain(clusterFile: string, object: KubernetesObject, size: string): string {
  // Read again: the text of a file is not kept, and this is rare.
  const yaml = parseYaml(clusterFile, readFileSync(clusterFile, "utf8"));
  const path = cause(yaml.value as ClusterDnsProps, object);
  const advice = path[0] === "tenancy" ? "use membership: prefix, or fewer tenants" : "shorten it";
  const message = `${formatPath(path)}: makes ${size}; ${advice}`;
  return formatProblem({ file: clusterFile, position: yaml.positionOf(path, "key"), message });
}

/** What in a description makes an object so large: the largest part without which it is not. */
function cause(props: ClusterDnsProps, object: KubernetesObject): Problem["path"] {
  const parts = Object.entries(props)
    .filter(([key]) => key !== "clusterDNS" && key !== "kubeProxyMode")
    .sort(([, a], [, b]) => lengthOf(b) - lengthOf(a));
  const isEnough = ([key]: [string, unknown]) => {
    const { components } = renderCluster(clusterOf({ ...props, [key]: undefined }));
    const same = components.flatMap(({ objects }) => objects).find((other) => identity(other) === identity(object));
    return same === undefined || tooLarge(same) === undefined;
  };
  const [key, value] = parts.find(isEnough) ?? parts[0] ?? [];
  return key === undefined ? [] : [key, ...mostOf(value)];
}

/** The way to the part of a value that is more than half of it. */
function mostOf(value: unknown): Problem["path"] {
  if (typeof value !== "object" || value === null) return [];
  const half = lengthOf(value) / 2;
  const found = Object.entries(value).find(([, child]) => lengthOf(child) > half);
  return found ? [Array.isArray(value) ? Number(found[0]) : found[0], ...mostOf(found[1])] : [];
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

/** The name of a configuration ends with its hash. */
function identity({ kind, metadata: { name } }: KubernetesObject): string {
  return `${kind} ${name.replace(/-[0-9a-f]{10}$/, "")}`;
}
