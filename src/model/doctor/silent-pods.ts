import type { Pod } from "../kubernetes/kinds";
import { isReady, nodesOf, placeOf } from "../kubernetes/pods";
import { names } from "../object-names";
import type { Unread } from "../running/cluster-state";
import { some } from "../syntax/some";
import { atNodes, atPods, type Finding, finding } from "./finding";
import type { Patient } from "./patient";
import { about, kubectl, noted, onNode, raw, system } from "./suggestions";

/** A pod whose metrics nobody answers, although its node's kubelet answers. */
export interface Silent extends Unread {
  readonly pod: Pod;
}

export function silentPod(each: Unread, pods: ReadonlyMap<string, Pod>): Silent[] {
  const { page, status = 504 } = each;
  const pod = pods.get(page?.name ?? "");
  // Nobody answered, or the API server found nobody.
  return pod && page?.kind === "metrics" && status >= 502 ? [{ ...each, pod }] : [];
}

/** Evidence of the first, which was asked. */
export function whyOf(silent: readonly Unread[]): string[] {
  const left = silent.filter(({ wasAsked }) => wasAsked === false).length;
  return [
    ...silent.slice(0, 1).map(({ why }) => why),
    ...(left > 0 ? [`${left} were not asked: none of the others answered`] : []),
  ];
}

export function isOfWatchdog({ pod }: Silent): boolean {
  return pod.metadata.labels?.["k8s-app"] === names.watchdog;
}

function isOfNetwork({ spec }: Pod): boolean {
  return spec.hostNetwork !== true;
}

/** Watchdogs are on the host's network, as is the kubelet. */
export function silentWatchdogs(silent: readonly Silent[], patient: Patient): Finding | undefined {
  const [first] = silent;
  if (!first) return undefined;
  const { pod, page, path } = first;
  const { metrics } = patient.state;
  const isAny = patient.podsOfApp(names.watchdog).some(({ metadata }) => metrics.has(metadata.name));
  return finding(
    "watchdog-silent",
    atPods(silent.map((each) => each.pod)),
    [
      ...whyOf(silent),
      "if the cache hangs, nothing leads queries past it there",
      !isAny && silent.length > 1 && "no watchdog answers: perhaps a firewall keeps the API server from their port",
    ],
    [
      raw(path),
      system`logs ${pod.metadata.name} --tail=50`,
      page?.port !== undefined &&
        onNode(
          `on ${pod.spec.nodeName ?? "the node"}: another program than the watchdog?`,
        )`ss -lnp sport = ${`:${page.port}`}`,
      silent
        .slice(0, 5)
        .map((each) =>
          noted(
            about(each.pod, "delete"),
            "once the port is free: its successor starts anew, and rules stay meanwhile",
          ),
        ),
    ],
  );
}

/**
 * Nodes that do not forward, by the webhook's pods: the API server must reach these, and opens a connection for each
 * request. Policies may keep it from others, or rules of kube-proxy let a connection pass that is open.
 */
export function unreachedPods(all: readonly Silent[], patient: Patient): Finding | undefined {
  const { metrics } = patient.state;
  const called = patient.podsOfApp(names.webhook);
  const silent = called.filter((pod) => isOfNetwork(pod) && isReady(pod) && all.some((each) => each.pod === pod));
  const read = nodesOf(called.filter((pod) => isOfNetwork(pod) && metrics.has(pod.metadata.name)));
  const nodes = nodesOf(silent).filter((node) => !read.includes(node));
  const dns = patient.dnsPods.filter(({ spec }) => nodes.includes(spec.nodeName ?? ""));
  const isElsewhere = read.length > 0;
  if (dns.length === 0 || !(isElsewhere || nodes.length > 1)) return undefined;
  const on = `on ${some(nodes)}`;
  return finding(
    "pods-unreached",
    atNodes(nodes),
    [
      `the API server reaches the kubelets there, and not ${some(silent.map(placeOf))}, although ready`,
      isElsewhere
        ? `pods of ${some(read)} answer it`
        : "it reaches no pod elsewhere: perhaps its own node forwards nothing",
      `a part of the queries for the cluster DNS goes to ${some(dns.map(placeOf))}`,
    ],
    [
      onNode(`${on}: 1 forwards`)`sysctl net.ipv4.ip_forward`,
      onNode(`${on}: does its policy, or a rule, drop?`)`iptables -S FORWARD`,
      kubectl`get pods --all-namespaces -o wide --field-selector spec.nodeName=${nodes[0] ?? ""}`,
      onNode(`${on}, if its policy drops, and in what sets it: a firewall, Docker`)`iptables -P FORWARD ACCEPT`,
    ],
  );
}
