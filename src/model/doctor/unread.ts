import type { Pod } from "../kubernetes/kinds";
import type { Unread } from "../running/cluster-state";
import { names } from "../object-names";
import { isReady, nodesOf, placeOf } from "../kubernetes/pods";
import { some } from "../syntax/some";
import { atEach, atNodes, atPods, type Finding, finding, type Findings } from "./finding";
import { grouped } from "../syntax/grouped";
import type { FindingId } from "./findings";
import type { Patient } from "./patient";
import { kubectl, noted, onNode, raw, type Suggestion, system } from "./suggestions";

/** What could not be read, and so was not checked. */
export function unread(patient: Patient): Findings {
  const pods = new Map(patient.systemPods.map((pod) => [pod.metadata.name, pod]));
  const isShut = (each: Unread) => mayBeShut(each, pods, patient);
  const others = patient.state.unread.filter((each) => !isShut(each));
  const silent = others.filter(
    ({ page, status = 504, why }) => page?.kind === "kubelet" && status >= 500 && !distrust.test(why),
  );
  const silentNodes = new Set(silent.map((each) => nodeOf(each, pods)));
  const elsewhere = others.filter((each) => !silentNodes.has(nodeOf(each, pods)));
  const hung = elsewhere.flatMap((each) => watchdogIn(each, pods));
  return [
    silentKubelets(silent),
    silentWatchdogs(hung, patient),
    unreachedPods(elsewhere.filter(isSilent), pods, patient),
    // Who asks, and whom, is quoted.
    grouped(
      elsewhere.filter((each) => watchdogIn(each, pods).length === 0),
      ({ why }) => why.replace(/"[^"]*"/g, ""),
    ).map(([, same]) => {
      const isEssential = same.some(({ resource = "" }) => essential.has(resource));
      return findingOf(isEssential ? "unread" : "unread-aside", same, pods);
    }),
    findingOf("unread-as-expected", patient.state.unread.filter(isShut), pods, asExpected),
  ];
}

const asExpected = "as expected where networkPolicies are enforced: they do not let the API server in";

type Pods = ReadonlyMap<string, Pod>;

/** The lists without which nobody can say that DNS works. */
const essential: ReadonlySet<string> = new Set(["services", "endpointslices", "pods", "deployments", "daemonsets"]);

function findingOf(id: FindingId, same: readonly Unread[], pods: Pods, more?: string): Finding | undefined {
  const [first] = same;
  if (!first) return undefined;
  const nodes = same.map((each) => nodeOf(each, pods));
  const known = nodes.filter((node) => node !== undefined);
  const place = {
    ...atEach(same.map(({ what }) => what)),
    ...(known.length === nodes.length && { nodes: [...new Set(known)] }),
  };
  const next = distrust.test(first.why) && [
    noted(kubectl`get certificatesigningrequests`, "those that wait: kubectl certificate approve NAME"),
    onNode(
      `on ${known[0] ?? "the node"}: its kubelet's certificate; is the time right?`,
    )`openssl x509 -noout -dates -in /var/lib/kubelet/pki/kubelet-server-current.pem`,
  ];
  return finding(id, place, [first.why, more], [look(first, id), next]);
}

/** A kubelet answers, and the API server does not trust it. */
const distrust = /x509: |tls: /;

/** One finding for a node: its logs and metrics are read through its kubelet, or over the same network. */
function silentKubelets(silent: readonly Unread[]): Finding | undefined {
  const [first] = silent;
  if (!first) return undefined;
  const nodes = silent.flatMap(({ page }) => (page ? [page.name] : []));
  return finding(
    "kubelet-silent",
    atNodes(nodes),
    [first.why, "nothing is known of what runs there"],
    [
      raw(first.path),
      onNode(
        `on a node of the API server: do large packets get there? if not, mend the MTU of one of the two`,
      )`ping -M do -s 1400 -c 3 ${nodes[0] ?? ""}`,
      "if they do: does a firewall let the API server reach port 10250?",
    ],
  );
}

interface Silent extends Unread {
  readonly pod: Pod;
}

/** Nobody answered, or the API server found nobody. */
function isSilent({ status = 504 }: Unread): boolean {
  return status >= 502;
}

/**
 * Pods that their kubelet finds ready, and that the API server does not reach, although it reaches that kubelet, and such
 * pods elsewhere: that node does not forward.
 */
function unreachedPods(silent: readonly Unread[], pods: Pods, patient: Patient): Finding | undefined {
  const isOfNetwork = ({ spec }: Pod) => spec.hostNetwork !== true;
  const podOf = ({ page }: Unread) => (page?.kind === "metrics" ? pods.get(page.name) : undefined);
  const lost = silent.flatMap((each) => podOf(each) ?? []).filter((pod) => isOfNetwork(pod) && isReady(pod));
  const read = nodesOf(
    patient.systemPods.filter((pod) => isOfNetwork(pod) && patient.state.metrics.has(pod.metadata.name)),
  );
  const nodes = nodesOf(lost).filter((node) => !read.includes(node));
  const [node] = nodes;
  const dns = patient.dnsPods.filter(({ spec }) => nodes.includes(spec.nodeName ?? ""));
  if (node === undefined || read.length === 0 || dns.length === 0) return undefined;
  return finding(
    "pods-unreached",
    atNodes(nodes),
    [
      `the API server reaches the kubelets there, and not ${some(lost.map(placeOf))}, although ready`,
      `pods of ${some(read)} answer it`,
      `a part of the queries for the cluster DNS goes to ${some(dns.map(placeOf))}`,
    ],
    [
      onNode(`on ${node}: 1 forwards`)`sysctl net.ipv4.ip_forward`,
      onNode(`on ${node}: does its policy, or a rule, drop?`)`iptables -S FORWARD`,
      kubectl`get pods --all-namespaces -o wide --field-selector spec.nodeName=${node}`,
      onNode(`on ${node}, if its policy drops, and in what sets it: a firewall, Docker`)`iptables -P FORWARD ACCEPT`,
    ],
  );
}

/** A watchdog that does not answer, although its node's kubelet does, on the same address. */
function watchdogIn(each: Unread, pods: Pods): Silent[] {
  const { page } = each;
  const pod = pods.get(page?.name ?? "");
  const isWatchdog = pod?.metadata.labels?.["k8s-app"] === names.watchdog && page?.kind === "metrics";
  return pod && isWatchdog && isSilent(each) ? [{ ...each, pod }] : [];
}

function silentWatchdogs(silent: readonly Silent[], patient: Patient): Finding | undefined {
  const [first] = silent;
  if (!first) return undefined;
  const { pod, page, path, why } = first;
  const { name } = pod.metadata;
  const { metrics } = patient.state;
  const isAny = patient.podsOfApp(names.watchdog).some(({ metadata }) => metrics.has(metadata.name));
  return finding(
    "watchdog-silent",
    atPods(silent.map((each) => each.pod)),
    [
      why,
      "if the cache hangs, nothing leads queries past it there",
      !isAny && silent.length > 1 && "no watchdog answers: perhaps a firewall keeps the API server from their port",
    ],
    [
      raw(path),
      system`logs ${name} --tail=50`,
      page?.port !== undefined &&
        onNode(
          `on ${pod.spec.nodeName ?? "the node"}: another program than the watchdog?`,
        )`ss -lnp sport = ${`:${page.port}`}`,
      noted(system`delete pod ${name}`, "once the port is free: its successor starts anew, and rules stay meanwhile"),
    ],
  );
}

/** Undefined if it is of none. */
function nodeOf({ page }: Unread, pods: Pods): string | undefined {
  return page?.kind === "log" || page?.kind === "metrics" ? pods.get(page.name)?.spec.nodeName : page?.name;
}

function look({ path, page }: Unread, id: FindingId): Suggestion {
  if (id !== "unread-as-expected" || page?.port === undefined) return raw(path);
  const port = String(page.port);
  return noted(system`port-forward ${page.name} ${port}`, `then: curl -s http://127.0.0.1:${port}/metrics`);
}

/** Whether our network policies may keep the API server from a pod. The webhook's own, by default, does not. */
function mayBeShut({ status = 504, page }: Unread, pods: Pods, patient: Patient): boolean {
  const policies = patient.cluster?.networkPolicies;
  // What the API server says of a pod that does not answer it, or does not say in time.
  if (!policies || policies.onlyWebhook || status < 502) return false;
  const pod = pods.get(page?.name ?? "");
  return page?.kind === "metrics" && pod !== undefined && pod.spec.hostNetwork !== true;
}
