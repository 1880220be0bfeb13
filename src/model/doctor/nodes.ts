import type { Node, Pod } from "../kubernetes/kinds";
import { isCurrent, isReady } from "../kubernetes/pods";
import { selectorText } from "../kubernetes/selectors";
import { names } from "../object-names";
import { workloads as renderedWorkloads } from "../preflight/workloads";
import { grouped } from "../syntax/grouped";
import { some } from "../syntax/some";
import { atNodes, atPods, type Finding, finding, type Findings } from "./finding";
import type { NodeMatch } from "../placement/placeable";
import { podLabels } from "../running/find-dns";
import { dnsServiceOf, isBehind } from "./described";
import { isEndpoint } from "./endpoints";
import { isUp, nodesFor, nodesForPod } from "./placed";
import type { Patient } from "./patient";
import { about, beside, kubectl, noted, onNode, system } from "./suggestions";

/** Nodes whose kubelet does not report. */
export function nodesDown(patient: Patient): Finding | undefined {
  const { nodes = [] } = patient.state;
  const down = nodes.filter((node) => !isUp(node));
  const [first] = down;
  if (!first) return undefined;
  const isOnOneOf = ({ spec }: Pod) => down.some(({ metadata }) => metadata.name === spec.nodeName);
  const dns = patient.dnsPods;
  const isLast = dns.some(isOnOneOf) && !dns.some((pod) => isReady(pod) && !isOnOneOf(pod));
  const { reason, message } = first.status?.conditions?.find(({ type }) => type === "Ready") ?? {};
  const { name } = first.metadata;
  return finding(
    isLast ? "dns-node-not-ready" : "node-not-ready",
    atNodes(down.map(({ metadata }) => metadata.name)),
    [
      `${reason ?? "NotReady"}: ${message ?? "no message"}`,
      "nothing was read of pods there",
      down.map((node) => renamed(node, nodes)),
    ],
    [kubectl`describe node ${name}`, onNode(`on ${name}`)`journalctl -u kubelet -n 50`],
  );
}

/** A node that came back under another name: the old one is never ready again. */
function renamed(node: Node, nodes: readonly Node[]): string | undefined {
  const { name } = node.metadata;
  const has = addressesOf(node);
  const successor = nodes.find((each) => isUp(each) && addressesOf(each).some((address) => has.includes(address)));
  return successor && `${successor.metadata.name} has the same address: if ${name} was renamed, delete node ${name}`;
}

/** Nodes that report, and whose pods others do not reach. */
export function nodeNetworks({ state: { nodes = [] } }: Patient): Findings {
  const up = nodes.filter(isUp);
  const without = up.flatMap(({ metadata, status }) => {
    const why = status?.conditions?.find(({ type, status: is }) => type === "NetworkUnavailable" && is === "True");
    return why ? [{ name: metadata.name, told: `${why.reason ?? "no reason"}: ${why.message ?? "no message"}` }] : [];
  });
  const addresses = up.flatMap((node) => addressesOf(node).map((address) => ({ address, name: node.metadata.name })));
  const shared = grouped(addresses, ({ address }) => address).filter(([, same]) => same.length > 1);
  const namesOf = (all: readonly { readonly name: string }[]) => [...new Set(all.map(({ name }) => name))];
  const [name] = namesOf(without);
  const sharing = namesOf(shared.flatMap(([, same]) => same));
  return [
    name !== undefined &&
      finding(
        "network-unavailable",
        atNodes(namesOf(without)),
        [
          some([...new Set(without.map(({ told }) => told))]),
          "pods there do not reach other nodes, nor do these reach them",
        ],
        [
          kubectl`describe node ${name}`,
          kubectl`get pods --all-namespaces -o wide --field-selector spec.nodeName=${name}`,
          "mend the pod of the network plugin there, or the cloud's route to the node: one of the two takes the condition back",
        ],
      ),
    sharing.length > 0 &&
      finding(
        "address-shared",
        atNodes(sharing),
        [
          some(shared.map(([address, same]) => `${address} is InternalIP of ${some(namesOf(same))}`)),
          "packets to these nodes, their caches and their kubelets reach any of them",
        ],
        [
          kubectl`get nodes -o wide`,
          onNode(`on each of them: which address is its own?`)`ip -brief address`,
          "give each kubelet its own address (`--node-ip`), and restart it; delete a node that is there under two names",
        ],
      ),
  ];
}

function addressesOf({ status }: Node): string[] {
  return [...new Set((status?.addresses ?? []).flatMap(({ type, address }) => (type === "InternalIP" ? address : [])))];
}

/** Nodes that should have a cache, or a watchdog, and have none. */
export function nodeCoverage(patient: Patient): Findings {
  const { nodes, pods } = patient.state;
  if (!nodes || !pods || !patient.described) return [];
  const perNode: readonly string[] = [names.nodeLocalDns, names.watchdog];
  // That they are missing is told.
  const absent = patient.renderedWorkloads.filter((each) => patient.hasNone(each)).map(({ metadata }) => metadata.name);
  const workloads = renderedWorkloads(patient.described.components).filter(
    ({ name }) => perNode.includes(name) && !absent.includes(name),
  );
  return workloads.map((workload) => {
    const current = patient.podsOfApp(workload.name).filter(isCurrent);
    const covered = new Set(current.map(({ spec }) => spec.nodeName));
    const bare = fit(nodesFor(nodes.filter(isUp), workload, workload)).filter((node) => !covered.has(node));
    return (
      bare.length > 0 &&
      finding(
        "no-pod-here",
        atNodes(bare),
        `DaemonSet ${workload.name} matches the node; pods there ask the cluster DNS past the cache`,
        [system`describe daemonset ${workload.name}`, system`get events --sort-by=.lastTimestamp`],
      )
    );
  });
}

function fit(matches: readonly NodeMatch[]): string[] {
  return matches.filter(({ reasons }) => reasons.length === 0).map(({ node }) => node);
}

/** Whether a single node, or a single zone, takes the whole cluster DNS with it although others could have a pod. */
export function spread(patient: Patient): Findings {
  const { nodes = [], workloads = [] } = patient.state;
  const deployments = workloads.filter(
    (each) =>
      each.kind === "Deployment" &&
      isBehind(patient.cluster)({ metadata: { ...each.metadata, labels: podLabels(each) } }),
  );
  return deployments.map((workload) => {
    const all = patient.podsOf(workload);
    const pods = all.filter(isReady);
    const [pod] = pods;
    if (!pod || pods.length < 2) return undefined;
    const free = fit(nodesForPod(nodes.filter(isUp), pod, workload.kind));
    const used = new Set(pods.map(({ spec }) => spec.nodeName ?? ""));
    const zone = (name: string) =>
      nodes.find(({ metadata }) => metadata.name === name)?.metadata.labels?.["topology.kubernetes.io/zone"];
    const zones = new Set([...used].map(zone));
    const otherNodes = free.filter((name) => !used.has(name));
    const otherZones = free.filter((name) => zone(name) !== undefined && !zones.has(zone(name)));
    // Where endpoints are stale, it may be the last one.
    const spare = pods.find((each) => pods.some((other) => other !== each && isEndpoint(other, patient)));
    // To the scheduler, one that is being deleted is a pod beside which no other should be (plugin interpodaffinity).
    const first = all.some(({ metadata }) => metadata.deletionTimestamp !== undefined)
      ? "once deleted pods are gone: "
      : "";
    const is = (id: "dns-on-one-node" | "dns-in-one-zone", on: string, others: readonly string[]) =>
      finding(
        id,
        atPods(pods, ` of Deployment ${workload.metadata.name}`),
        `if ${on} fails, no name of the cluster resolves; ${others.length} other nodes could have one, such as ${others[0]}`,
        [
          beside(pod)`get pods -l ${selectorText(dnsServiceOf(patient.cluster).selector)} -o wide`,
          spare &&
            noted(about(spare, "delete"), `${first}its successor goes elsewhere, and the others answer meanwhile`),
        ],
      );
    if (used.size === 1 && otherNodes.length > 0) return is("dns-on-one-node", `node ${[...used][0]}`, otherNodes);
    const isInOne = zones.size === 1 && !zones.has(undefined);
    return isInOne && otherZones.length > 0 && is("dns-in-one-zone", `zone ${[...zones][0]}`, otherZones);
  });
}
