import { abridgedNode, abridgedPod, dnsOf } from "./abridged";
import { watchdogMetric } from "../model/agent-config/watchdog-metrics";
import { type Described, dnsServiceOf, objectsToAsk } from "../model/doctor/described";
import { type JudgeLog, judgeOfLogs } from "../model/doctor/judge-log";
import { Patient } from "../model/doctor/patient";
import { mayBeNamed } from "../model/doctor/pod-dns";
import { calledName, neededServices } from "../model/doctor/failing-webhooks";
import { isOfWebhook } from "../model/doctor/webhooks";
import { isKubeProxy } from "../model/running/find-proxy";
import { pagesOfForwards, pagesToRead } from "./pages-to-read";
import { readForwarded } from "./read-forwarded";
import type { EndpointSlice, Pod } from "../model/kubernetes/kinds";
import type { KubernetesObject } from "../model/kubernetes/object";
import { parseSamples, type Sample } from "../model/kubernetes/samples";
import { isText } from "../model/kubernetes/shapes";
import { namespace } from "../model/object-names";
import { listed, stateOf } from "../model/running/cluster-state";
import type { ClusterState, KubeletDns, Lists, Page } from "../model/running/cluster-state";
import type { LogFacts } from "../model/running/log-facts";
import { canonicalAddress } from "../model/syntax/addresses";
import { grouped } from "../model/syntax/grouped";
import { inTurn, inTurnIfAny } from "../model/syntax/in-turn";
import { isMapping } from "../model/syntax/mapping";
import { atOnce, programMs, type Read } from "./kubectl-proxy";
import { Pages, parsed } from "./pages";
import { proxyConfigurations } from "./read-state";
import { sharing } from "./share-parts";
import { orElse } from "../model/syntax/or-else";

/** Some ten lists, then a page or two for each node and DNS pod. @throws Error if the API server does not answer. */
export async function readCluster(read: Read, described: Described | undefined): Promise<ClusterState> {
  const version = await read("/version");
  if ("failure" in version) throw new Error(`the API server does not answer: ${version.failure}`);
  // This machine's clock may be wrong.
  const aheadMs = (Date.parse(version.date ?? "") || Date.now()) - Date.now();
  const pages = new Pages(read);
  const dnsNamespaces = [...new Set([namespace, dnsServiceOf(described?.cluster).namespace])];
  const lists = await readLists(pages, dnsNamespaces, described);
  const state: ClusterState = {
    ...stateOf([], []),
    ...lists,
    serverVersion: serverVersion(version.text),
    dnsNamespaces,
    proxyConfigurations: lists.configMaps?.flatMap(proxyConfigurations),
  };
  const more = pagesToRead(state, described);
  // What does not answer is waited for while all else is read.
  const [ofNodesAndPods, kubeProxies, ofDescription, issued, called, forwarded] = await Promise.all([
    readPages(pages, more, judgeOfLogs(new Patient(state, described))),
    readKubeProxies(read, more),
    readAsked(pages, described),
    readIssued(pages, described),
    readCalled(pages, lists.webhooks),
    readForwarded(pages, pagesOfForwards(state, described)),
  ]);
  const asked = new Map([...ofDescription, ...issued]);
  const now = new Date(Date.now() + aheadMs);
  const { unread } = pages;
  return { ...state, now, ...ofNodesAndPods, asked, called, forwarded, kubeProxies: inOrder(kubeProxies), unread };
}

async function readLists(
  pages: Pages,
  dnsNamespaces: readonly string[],
  described: Described | undefined,
): Promise<Lists> {
  const namespaces = { all: [undefined], dns: dnsNamespaces, ours: [namespace] };
  const isKept = (pod: Pod) => mayBeNamed(pod, described) || pod.spec.containers.some(isKubeProxy);
  const kept: { readonly [list: string]: (object: never) => KubernetesObject | undefined } = {
    nodes: abridgedNode,
    pods: (pod: Pod) => {
      if (dnsNamespaces.includes(pod.metadata.namespace ?? "")) return abridgedPod(pod);
      return isKept(pod) ? dnsOf(pod) : undefined;
    },
  };
  const lists = Object.entries(listed).map(async ([list, { apiVersion, kinds, of, query }]) => {
    const parts = await Promise.all(
      kinds.flatMap((kind) =>
        namespaces[of].map((each) => pages.list({ apiVersion, kind, namespace: each, query }, kept[list])),
      ),
    );
    return [list, parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? [])] as const;
  });
  return Object.fromEntries(await Promise.all(lists)) as object as Lists;
}

async function readPages(
  pages: Pages,
  toRead: readonly Page[],
  judge: JudgeLog,
): Promise<Pick<ClusterState, "kubelets" | "metrics" | "logs">> {
  const kubelets = new Map<string, KubeletDns>();
  const share = sharing();
  const metrics = new Map<string, Sample[]>();
  const logs = new Map<string, Map<string, LogFacts>>();
  // A part of a text, such as a line of a log, keeps all of it in memory: hence the clones.
  const ask = async (page: Page) => {
    const { kind, name, container, what, path } = page;
    if (kind === "kubelet") {
      const dns = await pages.ask(what, path, kubeletDns, { page });
      if (dns) kubelets.set(name, dns);
    } else if (kind === "metrics") {
      const samples = await pages.ask(what, path, samplesOf, { page });
      if (samples) metrics.set(name, share(structuredClone(samples)));
    } else if (kind === "log") {
      const facts = await pages.ask(what, path, (log) => judge(name, container, log), { page });
      if (facts) logs.set(name, new Map([...(logs.get(name) ?? []), [container, structuredClone(facts)]]));
    }
    return !pages.silent.has(page);
  };
  // A network may keep the API server from a port of all nodes.
  const ofOnePort = grouped(
    toRead.filter(({ kind }) => kind === "kubelet" || kind === "metrics"),
    ({ kind, port }) => `${kind} ${port}`,
  );
  await Promise.all(
    ofOnePort.map(async ([, same]) => (await inTurnIfAny(same, atOnce, ask)).forEach((page) => pages.giveUp(page))),
  );
  // A kubelet that hangs has no log either.
  const silent = new Set([...pages.silent].flatMap(({ kind, node }) => (kind === "kubelet" ? [node] : [])));
  const ofLogs = toRead.filter(({ kind, node }) => kind === "log" && !silent.has(node));
  await inTurn(ofLogs, atOnce, ask);
  // Answers come in any order; what is printed must not depend on it.
  return {
    kubelets: inOrder(kubelets),
    metrics: inOrder(metrics),
    logs: new Map([...inOrder(logs)].map(([pod, containers]) => [pod, inOrder(containers)])),
  };
}

async function readAsked(pages: Pages, described: Described | undefined): Promise<ClusterState["asked"]> {
  const wanted = objectsToAsk(described);
  const answers = await Promise.all(wanted.map(async (each) => ({ kind: each.kind, found: await pages.same(each) })));
  // Of a kind that somebody may not read, nothing is known.
  const known = grouped(answers, ({ kind }) => kind).filter(([, ofKind]) => ofKind.every(({ found }) => found));
  return new Map(known.map(([kind, ofKind]) => [kind, ofKind.flatMap(({ found = [] }) => found)]));
}

/** The webhook's certificates, in what asked for them: their Secret is not read. */
async function readIssued(pages: Pages, described: Described | undefined): Promise<ClusterState["asked"]> {
  if (described?.cluster.components.webhook?.certificates !== "cert-manager") return new Map();
  const [apiVersion, kind] = ["cert-manager.io/v1", "CertificateRequest"];
  const found = await pages.list({ apiVersion, kind, namespace }, (each: KubernetesObject) =>
    isOfWebhook(each) ? each : undefined,
  );
  return new Map(found && [[kind, found]]);
}

/** Whether the Services without which no pod is admitted lead somewhere. */
async function readCalled(pages: Pages, webhooks: Lists["webhooks"] = []): Promise<ClusterState["called"]> {
  const said = neededServices(webhooks).map(async (service) => {
    const metadata = { name: service.name, namespace: service.namespace };
    const same = await pages.same({ apiVersion: "v1", kind: "Service", metadata });
    if (!same) return [];
    const key = calledName(service);
    const [found] = same;
    if (!found) return [[key, "does not exist"] as const];
    // One of another kind leads to no pod of the cluster.
    if (found.spec?.["type"] === "ExternalName") return [];
    const slices = `/apis/discovery.k8s.io/v1/namespaces/${service.namespace}/endpointslices`;
    const selector = encodeURIComponent(`kubernetes.io/service-name=${service.name}`);
    const ready = await pages.ask(`endpoints of Service ${key}`, `${slices}?labelSelector=${selector}`, readyIn);
    return ready === undefined ? [] : [[key, ready > 0 ? undefined : "has no ready endpoint"] as const];
  });
  return new Map((await Promise.all(said)).flat());
}

/** How many endpoints get queries. @throws Error if it is no list. */
function readyIn(text: string): number {
  const { items } = parsed(text);
  if (!Array.isArray(items)) throw new Error("answered with no list");
  return (items as EndpointSlice[])
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false).length;
}

/** What kube-proxies say of themselves. Where networks keep the API server from all of them, few are waited for. */
async function readKubeProxies(read: Read, pages: readonly Page[]): Promise<Map<string, string | undefined>> {
  const of = pages.filter(({ kind }) => kind === "kube-proxy");
  const said = new Map<string, string | undefined>();
  const ask = async ({ name, path }: Page) => {
    const answer = await read(path, programMs);
    const isUp = "text" in answer;
    if (isUp) said.set(name, undefined);
    // Another answer is not a kube-proxy's.
    else if ((answer.status ?? 504) >= 502) said.set(name, answer.failure);
    return isUp;
  };
  await inTurnIfAny(of, atOnce, ask);
  return [...said.values()].includes(undefined) ? said : new Map();
}

function inOrder<T>(map: ReadonlyMap<string, T>): Map<string, T> {
  return new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @throws Error if it is no kubelet's configuration. */
function kubeletDns(text: string): KubeletDns {
  const { kubeletconfig } = parsed(text);
  if (!isMapping(kubeletconfig)) throw new Error("answered with no kubeletconfig");
  const { clusterDNS = [], clusterDomain = "" } = kubeletconfig;
  if (!Array.isArray(clusterDNS) || !clusterDNS.every(isText))
    throw new Error("its clusterDNS is no list of addresses");
  if (!isText(clusterDomain)) throw new Error("its clusterDomain is no name");
  // Kubelets keep the spelling of their file; Services and cluster files have one.
  return { clusterDNS: clusterDNS.map(canonicalAddress), clusterDomain };
}

/** Without those for dashboards alone: of packets, two sums. @throws Error if it is no page of metrics. */
function samplesOf(text: string): Sample[] {
  const samples = parseSamples(text);
  if (samples.length === 0) throw new Error("answered with no metrics");
  const packets = watchdogMetric("packets_total");
  const sums = ["requests", "past-silent"].map((kind) => {
    const some = samples.filter(({ name, labels }) => name === packets && labels["kind"] === kind);
    return { name: packets, labels: { kind }, value: some.reduce((sum, { value }) => sum + value, 0) };
  });
  return [
    ...samples.filter(({ name }) => !name.endsWith("_bucket") && name !== packets),
    ...sums.filter(({ value }) => value > 0),
  ];
}

function serverVersion(text: string): string | undefined {
  const gitVersion = orElse(() => parsed(text)["gitVersion"], undefined);
  return isText(gitVersion) ? gitVersion : undefined;
}
