import { ApiObject, Chart, JsonPatch } from "cdk8s";
import type { IntOrString, Quantity } from "cdk8s-plus-27/lib/imports/k8s";
import type { Construct } from "constructs";
import type { ClusterFacts } from "../model/props/cluster-facts";

export const namespace = "kube-system";

/** Props of a generated Kubernetes class as the plain object that they become: its types, without the classes' run time. */
export type Plain<T> = T extends Quantity | IntOrString
  ? string | number
  : T extends Date
    ? string
    : T extends (infer Item)[]
      ? readonly Plain<Item>[]
      : T extends object
        ? { readonly [Key in keyof T as ApiName<Key>]: Plain<T[Key]> }
        : T;

// The generator lower-cases acronyms and puts them right at run time.
type ApiName<Key> = Key extends "clusterIp" ? "clusterIP" : Key;

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
}

/**
 * Adds an object with the cluster's extra labels and annotations; `Props` is its generated interface (`KubeDeploymentProps`).
 * It becomes a plain `ApiObject`: the generated classes drop every field that is newer than they are.
 */
export function addObject<Props>(
  scope: Construct,
  facts: ClusterFacts,
  [apiVersion, kind]: readonly [apiVersion: string, kind: string],
  manifest: Omit<Plain<Props>, "metadata"> & { readonly metadata: Metadata },
): ApiObject {
  const { metadata, ...body } = manifest;
  const { name, namespace: ns, ...own } = metadata;
  claim(scope, `${apiVersion} ${kind} ${ns ?? ""}/${name}`);
  const object = new ApiObject(scope, `${kind}-${name}`, {
    apiVersion,
    kind,
    metadata: { name, ...(ns ? { namespace: ns } : {}), ...extras(facts, own) },
    ...body,
  });
  // A chart gives its namespace even to what can have none.
  if (!ns && object.chart.namespace) object.addJsonPatch(JsonPatch.remove("/metadata/namespace"));
  return object;
}

/** Labels and annotations of an object or a pod template: the user's, then ours. */
export function extras(
  facts: ClusterFacts,
  own: Pick<Metadata, "labels" | "annotations"> = {},
): Pick<Metadata, "labels" | "annotations"> {
  const labels = { ...facts.labels, ...own.labels };
  const annotations = { ...facts.annotations, ...own.annotations };
  return {
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
  };
}

/** Who added which object to a chart. */
const claims = new WeakMap<Chart, Map<string, string>>();

/** @throws Error where the chart has the object already: the second apply would silently overwrite the first. */
function claim(scope: Construct, identity: string): void {
  const chart = Chart.of(scope);
  const owners = claims.get(chart) ?? new Map<string, string>();
  claims.set(chart, owners);
  const owner = owners.get(identity);
  if (owner !== undefined)
    throw new Error(
      `${scope.node.path} adds ${identity}, which ${owner} added already; keep one of the two in a chart`,
    );
  owners.set(identity, scope.node.path);
}
