import type { Described, KubeletDns, Observed, Unread } from "../model/doctor/observed";
import { isOverdue } from "../model/doctor/smoke-test";
import { pagesToRead } from "../model/doctor/what-to-read";
import type {
  ConfigMap,
  EndpointSlice,
  Event,
  Job,
  Namespace,
  NetworkPolicy,
  Node,
  Pod,
  Service,
  WebhookConfiguration,
  Workload,
} from "../model/kubernetes/kinds";
import { parseSamples, type Sample } from "../model/kubernetes/samples";
import { namespace } from "../model/object-names";
import { canonicalAddress } from "../model/syntax/addresses";
import { isMapping } from "../model/syntax/mapping";
import type { Read } from "./kubectl-proxy";
import { kubeProxyModes } from "./read-nodes";

/**
 * Reads what the doctor's checks need: some ten lists, then a page or two for each node and each DNS pod. Whatever
 * cannot be read is listed, not thrown. Secrets are not read.
 * @throws Error if the API server does not answer at all.
 */
export async function observeLive(read: Read, described: Described | undefined): Promise<Observed> {
  const version = await read("/version");
  if ("failure" in version) throw new Error(`the API server does not answer: ${version.failure}`);
  const unread: Unread[] = [];
  const asked = new Map<string, number>();
  const attempt = async (what: string, path: string): Promise<string | undefined> => {
    asked.set(path, asked.size);
    const answer = await read(path);
    if ("text" in answer) return answer.text;
    // A pod that has ended since, or has not started yet, which its status says; a run that nobody remembers.
    if (path.includes("/pods/") && /^pods "[^"]*" not found|waiting to start|^previous terminated/.test(answer.failure))
      return undefined;
    // The same, once the kubelet has removed its container: the pod's status still tells of it.
    if (path.includes("&previous=true") && answer.failure.startsWith("unable to retrieve container logs"))
      return undefined;
    unread.push({ what, why: answer.failure, path });
    return undefined;
  };
  /** What a page says; one that says nothing of the kind, such as the page of a login, counts as unread. */
  const understood = <T>(what: string, path: string, text: string | undefined, as: (text: string) => T) => {
    try {
      return text === undefined ? undefined : as(text);
    } catch (error) {
      unread.push({ what, why: (error as Error).message, path });
      return undefined;
    }
  };
  const list = async <T>(what: string, path: string, kind: string, query = ""): Promise<T[] | undefined> => {
    // From the API server's memory, which spares etcd.
    const from = `${path}?resourceVersion=0${query}`;
    const items = understood(what, from, await attempt(what, from), (text) => itemsOf(text, path));
    // The items of a list do not say what they are.
    const [, apiVersion = ""] = /^\/apis?\/(v1|[^/]+\/[^/]+)/.exec(path) ?? [];
    return items?.map((item) => ({ ...item, apiVersion, kind }) as T);
  };
  const ours = <T>(what: string, group: string, kind: string) =>
    list<T>(`${what} of ${namespace}`, `/${group}/namespaces/${namespace}/${what}`, kind);
  const admission = <T>(what: string, kind: string) =>
    list<T>(what, `/apis/admissionregistration.k8s.io/v1/${what}`, kind);

  const [
    nodes,
    namespaces,
    pods,
    services,
    configMaps,
    endpointSlices,
    deployments,
    daemonSets,
    jobs,
    networkPolicies,
    mutating,
    validating,
  ] = await Promise.all([
    list<Node>("nodes", "/api/v1/nodes", "Node"),
    list<Namespace>("namespaces", "/api/v1/namespaces", "Namespace"),
    list<Pod>("pods", "/api/v1/pods", "Pod"),
    ours<Service>("services", "api/v1", "Service"),
    ours<ConfigMap>("configmaps", "api/v1", "ConfigMap"),
    ours<EndpointSlice>("endpointslices", "apis/discovery.k8s.io/v1", "EndpointSlice"),
    ours<Workload>("deployments", "apis/apps/v1", "Deployment"),
    ours<Workload>("daemonsets", "apis/apps/v1", "DaemonSet"),
    ours<Job>("jobs", "apis/batch/v1", "Job"),
    ours<NetworkPolicy>("networkpolicies", "apis/networking.k8s.io/v1", "NetworkPolicy"),
    admission<WebhookConfiguration>("mutatingwebhookconfigurations", "MutatingWebhookConfiguration"),
    admission<WebhookConfiguration>("validatingwebhookconfigurations", "ValidatingWebhookConfiguration"),
  ]);

  const events = jobs?.some(isOverdue)
    ? await list<Event>(
        `events of ${namespace}`,
        `/api/v1/namespaces/${namespace}/events`,
        "Event",
        "&fieldSelector=type=Warning",
      )
    : [];
  const kubelets = new Map<string, KubeletDns>();
  const metrics = new Map<string, Sample[]>();
  const logs = new Map<string, Map<string, string>>();
  await Promise.all(
    pagesToRead(nodes ?? [], pods ?? [], described).map(async ({ kind, name, container, what, path }) => {
      const text = await attempt(what, path);
      if (text === undefined) return;
      if (kind === "kubelet") {
        const dns = understood(what, path, text, kubeletDns);
        if (dns) kubelets.set(name, dns);
      } else if (kind === "metrics") {
        const samples = understood(what, path, text, samplesOf);
        if (samples) metrics.set(name, samples);
      } else logs.set(name, new Map([...(logs.get(name) ?? []), [container, text]]));
    }),
  );
  return {
    now: new Date(),
    serverVersion: serverVersion(version.text),
    nodes,
    namespaces,
    pods,
    services,
    endpointSlices,
    configMaps,
    workloads: deployments && daemonSets && [...deployments, ...daemonSets],
    jobs,
    events,
    networkPolicies,
    webhooks: mutating && validating && [...mutating, ...validating],
    kubeProxyModes: configMaps?.flatMap(kubeProxyModes),
    // Answers come in any order; what is printed must not depend on it.
    kubelets: inOrder(kubelets),
    metrics: inOrder(metrics),
    logs: new Map([...inOrder(logs)].map(([pod, containers]) => [pod, inOrder(containers)])),
    unread: unread.toSorted((a, b) => (asked.get(a.path) ?? 0) - (asked.get(b.path) ?? 0)),
  };
}

function inOrder<T>(map: ReadonlyMap<string, T>): Map<string, T> {
  return new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @throws Error if it is no list, or an item is not as the API server writes it. */
function itemsOf(text: string, path: string): object[] {
  const { items } = parsed(text);
  if (!Array.isArray(items)) throw new Error("answered with no list");
  const all: unknown[] = items;
  const hasShape = shapes[path.slice(path.lastIndexOf("/") + 1)] ?? (() => true);
  const odd = all.findIndex(
    (item) => !(isMapping(item) && isMapping(item["metadata"]) && isText(item["metadata"]["name"]) && hasShape(item)),
  );
  if (odd >= 0) throw new Error(`item ${odd + 1} of ${all.length} is not as the API server writes it`);
  return all.filter(isMapping);
}

type Mapping = { readonly [key: string]: unknown };

/** What the checks need of an item besides its name, by the last part of the path. */
const shapes: { readonly [resource: string]: (item: Mapping) => boolean } = {
  pods: ({ spec }) => hasContainers(spec),
  services: ({ spec }) => isMapping(spec),
  deployments: hasTemplate,
  daemonsets: hasTemplate,
  events: ({ involvedObject }) => isMapping(involvedObject),
  networkpolicies: ({ spec }) => isMapping(spec),
  endpointslices: ({ endpoints }) => isListOf(endpoints, ({ addresses }) => Array.isArray(addresses)),
  mutatingwebhookconfigurations: hasClients,
  validatingwebhookconfigurations: hasClients,
};

function hasTemplate({ spec }: Mapping): boolean {
  return isMapping(spec) && isMapping(spec["template"]) && hasContainers(spec["template"]["spec"]);
}

function hasContainers(spec: unknown): boolean {
  return isMapping(spec) && Array.isArray(spec["containers"]) && isListOf(spec["containers"], () => true);
}

function hasClients({ webhooks }: Mapping): boolean {
  return isListOf(webhooks, ({ clientConfig }) => isMapping(clientConfig));
}

/** An empty list may be missing. */
function isListOf(value: unknown = [], hasShape: (item: Mapping) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isMapping(item) && hasShape(item));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
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

/** @throws Error if it is no page of metrics. */
function samplesOf(text: string): Sample[] {
  const samples = parseSamples(text);
  if (samples.length === 0) throw new Error("answered with no metrics");
  return samples;
}

function serverVersion(text: string): string | undefined {
  try {
    const { gitVersion } = parsed(text);
    return isText(gitVersion) ? gitVersion : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error if it is no JSON object. */
function parsed(text: string): Mapping {
  let value: unknown;
  try {
    value = JSON.parse(text, withoutNull);
  } catch {
    // Said below, with what it is instead.
  }
  if (!isMapping(value)) throw new Error(`answered with no JSON: ${text.trim().split("\n")[0]?.slice(0, 100) ?? ""}`);
  return value;
}

/** In Kubernetes' JSON null means not set, also for a list. */
function withoutNull(_: string, value: unknown): unknown {
  if (value === null) return undefined;
  return Array.isArray(value) ? value.filter((each) => each !== undefined) : value;
}
