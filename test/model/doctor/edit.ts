// What a test changes of a healthy cluster.
import type { Described } from "../../../src/model/doctor/described";
import type { NetworkPolicy, Workload } from "../../../src/model/kubernetes/kinds";
import type { KubernetesObject, Metadata } from "../../../src/model/kubernetes/object";
import { parseSamples } from "../../../src/model/kubernetes/samples";
import type { ClusterState, Lists } from "../../../src/model/running/cluster-state";
import { described, healthy, watchdogMetrics } from "./healthy";

type Named = { readonly metadata: Metadata };
type Name = string | RegExp;
type Part = { readonly [key: string]: unknown };
const isPart = (value: unknown): value is Part => typeof value === "object" && value !== null && !Array.isArray(value);

/** The items, with those of a name, or of such names, replaced; undefined takes one away. */
export function replaced<T extends Named>(
  items: readonly T[] | undefined,
  name: Name,
  change: (item: T) => T | undefined,
): T[] {
  const all = items ?? [];
  const isOne = ({ metadata }: T) => (typeof name === "string" ? metadata.name === name : name.test(metadata.name));
  if (!all.some(isOne)) throw new Error(`no ${name} in the snapshot`);
  return all.flatMap((item) => (isOne(item) ? (change(item) ?? []) : [item]));
}

/** The items, those of a name with these fields; lists are replaced as a whole. */
export function patched<T extends Named>(items: readonly T[] | undefined, name: Name, patch: object): T[] {
  return replaced(items, name, (item) => merged(item as unknown as Part, patch as Part) as unknown as T);
}

/** With these fields, also those within its own. */
export function merged(item: Part, patch: Part): Part {
  const fields = Object.entries(patch).map(([key, value]) => {
    const before = item[key];
    return [key, isPart(before) && isPart(value) ? merged(before, value) : value] as const;
  });
  return { ...item, ...Object.fromEntries(fields) };
}

/** The items, and one more, like that of a name but for these fields. */
export function copied<T extends Named>(items: readonly T[], name: string, patch: object): T[] {
  const like = items.filter(({ metadata }) => metadata.name === name);
  return [...items, ...patched(like, name, patch)];
}

/** A list without those of a name. */
export function lacking<L extends keyof Lists>(list: L, name: Name, from?: Described): Pick<Lists, L> {
  return listOf(
    list,
    replaced<KubernetesObject>(healthy(from)[list], name, () => undefined),
  );
}

/** A list whose items of a name have these fields. */
export function changing<L extends keyof Lists>(list: L, name: Name, patch: object, from?: Described): Pick<Lists, L> {
  return listOf(list, patched<KubernetesObject>(healthy(from)[list], name, patch));
}

/** A list with more in it. */
export function adding<L extends keyof Lists>(list: L, more: readonly object[], from?: Described): Pick<Lists, L> {
  return listOf(list, [...healthy(from)[list], ...more]);
}

/** CoreDNS's Deployment with this memory limit. */
export function limitedTo(memory: string, from = described()): Pick<ClusterState, "workloads"> {
  const workloads = replaced(healthy(from).workloads, "coredns", (each) => {
    const resources = { limits: { memory } };
    const containers = each.spec.template.spec.containers.map((one) => merged(one as never, { resources }));
    return merged(each as never, { spec: { template: { spec: { containers } } } }) as unknown as Workload;
  });
  return { workloads };
}

/** What a container of a pod has in its log. */
export function logged(text: string, name = "coredns-0", container = "coredns") {
  return { logs: new Map([[name, new Map([[container, text]])]]) };
}

/** Metrics of `node-1`'s watchdog with these lines, each without the watchdog's name, in place of those they are about. */
export function measured(...given: readonly string[]): Pick<ClusterState, "metrics"> {
  const lines = given.map((line) => `node_local_dns_watchdog_${line}`);
  const key = (line: string) => line.slice(0, line.lastIndexOf(" "));
  const others = watchdogMetrics.split("\n").filter((line) => !lines.some((each) => key(each) === key(line)));
  const { metrics } = healthy();
  const [first = ""] = metrics.keys();
  return { metrics: new Map([...metrics, [first, parseSamples([...others, ...lines].join("\n"))]]) };
}

/** A DaemonSet of somebody else, with this container. */
export function daemonSet(name: string, container: object, labels: object = {}): Workload {
  const metadata = { name, namespace: "kube-system", labels: { ...labels } };
  const template = { spec: { containers: [{ name, ...container }] } };
  return { apiVersion: "apps/v1", kind: "DaemonSet", metadata, spec: { template } };
}

/** A policy by hand, for pods with these labels. */
export const policy = (name: string, matchLabels?: object, namespace = "kube-system"): NetworkPolicy => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name, namespace },
  spec: { podSelector: { ...(matchLabels && { matchLabels: { ...matchLabels } }) } },
});

function listOf<L extends keyof Lists>(list: L, items: readonly object[]): Pick<Lists, L> {
  return { [list]: items } as unknown as Pick<Lists, L>;
}
