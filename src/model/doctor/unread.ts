import type { Pod } from "../kubernetes/kinds";
import type { Unread } from "../running/cluster-state";
import { names } from "../object-names";
import { isBehind } from "./described";
import { atEach, atNodes, type Finding, finding, type Findings } from "./finding";
import { grouped } from "../syntax/grouped";
import type { FindingId } from "./findings";
import type { Patient } from "./patient";
import { isOfWatchdog, silentPod, silentWatchdogs, unreachedPods, whyOf } from "./silent-pods";
import { kubectl, noted, onNode, raw, type Suggestion, system } from "./suggestions";

/** What could not be read, and so was not checked. */
export function unread(patient: Patient): Findings {
  const pods = new Map(patient.systemPods.map((pod) => [pod.metadata.name, pod]));
  const isShut = (each: Unread) => mayBeShut(each, pods, patient);
  const others = patient.state.unread.filter((each) => !isShut(each));
  const silent = others.filter(
    ({ page, status = 504, why }) => page?.kind === "kubelet" && status >= 500 && !distrust.test(why),
  );
  const silentNodes = new Set(silent.map(({ page }) => page?.node));
  const elsewhere = others.filter(({ page }) => !(page && silentNodes.has(page.node)));
  const asksOutside = (each: Unread) => isOfForwards(each, pods, patient);
  const silentPods = elsewhere.flatMap((each) => silentPod(each, pods));
  const watchdogs = silentPods.filter(isOfWatchdog);
  const ofWatchdogs = new Set(watchdogs.map(({ path }) => path));
  return [
    silentKubelets(silent),
    silentWatchdogs(watchdogs, patient),
    unreachedPods(silentPods, patient),
    // Who asks, and whom, is quoted.
    grouped(
      elsewhere.filter((each) => !ofWatchdogs.has(each.path) && !asksOutside(each)),
      ({ why }) => why.replace(/"[^"]*"/g, ""),
    ).map(([, same]) => {
      const isEssential = same.some(({ resource = "" }) => essential.has(resource));
      return findingOf(isEssential ? "unread" : "unread-aside", same);
    }),
    findingOf("forwards-unread", elsewhere.filter(asksOutside)),
    findingOf("unread-as-expected", patient.state.unread.filter(isShut), asExpected),
  ];
}

const asExpected = "as expected where networkPolicies are enforced: they do not let the API server in";

type Pods = ReadonlyMap<string, Pod>;

/** The lists without which nobody can say that DNS works. */
const essential: ReadonlySet<string> = new Set(["services", "endpointslices", "pods", "deployments", "daemonsets"]);

function findingOf(id: FindingId, same: readonly Unread[], more?: string): Finding | undefined {
  const [first] = same;
  if (!first) return undefined;
  const nodes = same.map(({ page }) => page?.node);
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
    [...whyOf(silent), "nothing is known of what runs there"],
    [
      raw(first.path),
      onNode(
        `on a node of the API server: do large packets get there? if not, mend the MTU of one of the two`,
      )`ping -M do -s 1400 -c 3 ${nodes[0] ?? ""}`,
      "if they do: does a firewall let the API server reach port 10250? does the kubelet hang? then: systemctl restart kubelet",
    ],
  );
}

function look({ path, page }: Unread, id: FindingId): Suggestion {
  if (id !== "unread-as-expected" || page?.port === undefined) return raw(path);
  const port = String(page.port);
  return noted(system`port-forward ${page.name} ${port}`, `then: curl -s http://127.0.0.1:${port}/metrics`);
}

/** Whether it is of CoreDNS or a cache, whose metrics tell how the servers answer that they ask. */
function isOfForwards({ page }: Unread, pods: Pods, patient: Patient): boolean {
  const pod = pods.get(page?.name ?? "");
  const isOne = isBehind(patient.cluster);
  return (
    page?.kind === "metrics" && pod !== undefined && (isOne(pod) || patient.podsOfApp(names.nodeLocalDns).includes(pod))
  );
}

/** Whether our network policies may keep the API server from a pod. The webhook's own, by default, does not. */
function mayBeShut({ status = 504, page }: Unread, pods: Pods, patient: Patient): boolean {
  const policies = patient.cluster?.networkPolicies;
  // What the API server says of a pod that does not answer it, or does not say in time.
  if (!policies || policies.onlyWebhook || status < 502) return false;
  const pod = pods.get(page?.name ?? "");
  return page?.kind === "metrics" && pod !== undefined && pod.spec.hostNetwork !== true;
}
