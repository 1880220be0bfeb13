import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { namespaceObject } from "../../../rig/cluster/objects";
import { seed } from "../../../rig/seed";
import { sleep, until } from "../../../rig/until";
import { readState } from "../../../src/live/read-state";
import type { Pod, Workload } from "../../../src/model/kubernetes/kinds";
import { asPlace, type Node } from "../../../src/model/placement/node";
import { placeable, type PlacedWorkload } from "../../../src/model/placement/placeable";
import type { NodePlacement } from "../../../src/model/props/placement";
import { generatePlacements, nodeObjects, type FakeNode } from "../lib/fake-nodes";
import { useCluster } from "../lib/use-cluster";
import { eventually } from "../../eventually";

const namespace = "placement";
const count = { nodes: 20, pods: 25, daemonSets: 25 };

// Gt and Lt are behind a feature gate up to Kubernetes 1.37.
const featureGates = ["TaintTolerationComparisonOperators=true"];
const cluster = useCluster({ nodes: 0, featureGates });
const fakes: FakeNode[] = nodeObjects(count.nodes, seed);
const sample = fc.sample(generatePlacements(), { numRuns: count.pods + count.daemonSets - 2, seed });
// Some seeds generate few placements that fit a node: these fit every one.
const everywhere: NodePlacement = { nodeSelector: {}, tolerations: [{ operator: "Exists" }] };
const placements = [everywhere, ...sample, everywhere];
let isOver = false;
let beating: Promise<void>;
let nodes: readonly Node[];

beforeAll(async () => {
  await create([namespaceObject(namespace), ...fakes.map(({ node }) => node)]);
  const leases = () => fakes.flatMap(({ lease }) => lease?.() ?? []);
  const { kubectl } = cluster();
  const beat = () => kubectl.apply(leases()).catch(() => "the next one");
  await beat();
  beating = (async () => {
    for (; !isOver; await sleep(4000)) await beat();
  })();
  // The controller manager turns conditions, cordons and silence into taints.
  const taints = async () =>
    (await nodesNow()).map((node) => node.taints.map(({ key, effect }) => `${key}:${effect}`).sort());
  const expected = fakes.map((fake) => fake.taints.toSorted());
  await eventually("taints of every node", 150, taints, expected);
  nodes = await nodesNow();
});
afterAll(async () => {
  isOver = true;
  await beating;
});

it("placement of pods matches the scheduler's decision for each node", async () => {
  const cases = placements
    .slice(0, count.pods)
    .flatMap((placement, i) => nodes.map((node) => ({ placement, i, node })));
  await create(cases.map(({ placement, i, node }) => podFor(`pod-${i}-${node.name}`, placement, node.name)));
  const decided = async () => {
    const found = await cluster().kubectl.list<Pod>("pods", namespace, "case=pod");
    return found.length === cases.length && found.every(hasVerdict) && found;
  };
  const pods = await until("the scheduler's decision on every pod", 120, decided, 2000);
  const scheduled = new Set(pods.flatMap(({ metadata, spec }) => (spec.nodeName === undefined ? [] : metadata.name)));
  const workload = { kind: "Deployment", hostNetwork: false };
  const disagreements = cases.flatMap(({ placement, i, node }) => {
    const [match] = placeable([node], placement, workload);
    const runs = scheduled.has(`pod-${i}-${node.name}`);
    return (match?.reasons.length === 0) === runs ? [] : [{ placement, node, ours: match?.reasons, scheduler: runs }];
  });
  expect(disagreements).toEqual([]);
  expect(scheduled.size).toBeGreaterThan(count.nodes);
  expect(scheduled.size).toBeLessThan((cases.length * 19) / 20);
  expect(await nodesNow()).toEqual(nodes);
});

it("placement of DaemonSets matches where their controller creates pods", async () => {
  const cases = placements.slice(count.pods).map((placement, i) => ({
    placement,
    name: `daemon-${i}`,
    workload: { kind: "DaemonSet", hostNetwork: i % 2 === 0 },
  }));
  await create(cases.map(({ name, placement, workload }) => daemonSetFor(name, placement, workload)));
  const created = async () => {
    const sets = await cluster().kubectl.list<Workload>("daemonsets", namespace);
    const found = await cluster().kubectl.list<Pod>("pods", namespace, "case=daemon");
    const settled = sets.every(({ metadata: { name }, status: is }) => {
      return is?.observedGeneration === 1 && nodesOf(found, name).length === is.desiredNumberScheduled;
    });
    return sets.length === cases.length && settled && found;
  };
  const pods = await until("every pod of every DaemonSet on its node", 120, created, 2000);
  const disagreements = cases.flatMap(({ name, placement, workload }) => {
    const fits = placeable(nodes, placement, workload).filter(({ reasons }) => reasons.length === 0);
    const ours = fits.map(({ node }) => node);
    const theirs = nodesOf(pods, name);
    return ours.sort().join() === theirs.join() ? [] : [{ placement, workload, ours, theirs }];
  });
  expect(disagreements).toEqual([]);
  expect(pods.length).toBeGreaterThan(count.nodes);
  expect(await nodesNow()).toEqual(nodes);
});

function create(objects: readonly KubernetesObject[]): Promise<string> {
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  return cluster().kubectl.run(["create", "-f", "-"], { input });
}

async function nodesNow(): Promise<readonly Node[]> {
  const state = readState(await cluster().kubectl.run(["get", "nodes", "-o", "json"]));
  // timeAdded is set once a taint is noticed.
  return (state.nodes ?? []).map(asPlace).map((node) => ({
    ...node,
    taints: node.taints.map(({ key, value, effect }) => ({ key, ...(value !== undefined && { value }), effect })),
  }));
}

/** Those that pods of a DaemonSet are on. */
function nodesOf(pods: readonly Pod[], set: string): string[] {
  const own = pods.filter(({ metadata }) => metadata.labels?.["set"] === set);
  return [...new Set(own.flatMap(({ spec }) => spec.nodeName ?? []))].sort();
}

function hasVerdict({ spec, status }: Pod): boolean {
  return spec.nodeName !== undefined || (status?.conditions ?? []).some(({ type }) => type === "PodScheduled");
}

/** A pod that may run on only one node, so that the scheduler decides about each node. */
function podFor(name: string, { nodeSelector, tolerations }: NodePlacement, node: string): KubernetesObject {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: { case: "pod" } },
    spec: { containers: [{ name: "none", image: "none" }], nodeSelector, tolerations, affinity },
  };
}

function daemonSetFor(
  name: string,
  { nodeSelector, tolerations }: NodePlacement,
  { hostNetwork }: PlacedWorkload,
): KubernetesObject {
  const labels = { case: "daemon", set: name };
  const spec = { containers: [{ name: "none", image: "none" }], nodeSelector, tolerations, hostNetwork };
  const template = { metadata: { labels }, spec };
  const metadata = { name, namespace };
  return { apiVersion: "apps/v1", kind: "DaemonSet", metadata, spec: { selector: { matchLabels: labels }, template } };
}
