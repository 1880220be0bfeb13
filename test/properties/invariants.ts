import type { RenderedCluster } from "../../src/charts/render-cluster";
import type { Cluster } from "../../src/model/cluster/cluster";
import type {
  Container as AnyContainer,
  ConfigMap,
  PodSpec as AnyPodSpec,
  Volume,
} from "../../src/model/kubernetes/kinds";
import type { Fields, Metadata } from "../../src/model/kubernetes/object";
import type { WrittenBlock } from "../../src/model/corefile/corefile";
import { zonesOf } from "../../src/model/corefile/server-key";
import { mountedConfigMaps } from "../../src/model/kubernetes/pods";
import { readCorefile } from "../model/corefile/read-corefile";

/** The parts of a Kubernetes object that the invariants inspect. */
export interface Rendered extends ConfigMap {
  readonly spec?: Spec;
  readonly automountServiceAccountToken?: boolean;
  readonly subjects?: readonly { readonly name: string }[];
}

interface Spec extends Fields {
  readonly replicas?: number;
  readonly clusterIPs?: readonly string[];
  readonly selector?: { readonly matchLabels?: { readonly [key: string]: string } };
  readonly template?: { readonly metadata: Omit<Metadata, "name">; readonly spec: PodSpec };
}

export interface PodSpec extends AnyPodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly (Volume & { readonly secret?: object; readonly hostPath?: { readonly path: string } })[];
}

interface Container extends AnyContainer {
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly readinessProbe?: { readonly httpGet?: { readonly port: number } };
  readonly livenessProbe?: Container["readinessProbe"];
}

const whose = { "app.kubernetes.io/part-of": "cluster-dns", "app.kubernetes.io/managed-by": "cdk8s-cluster-dns" };
const clusterScoped = /^(ClusterRole|(Validating|Mutating)(WebhookConfiguration|AdmissionPolicy))/;

/** What may be in another namespace than DNS. */
function isMonitoring(id: string): boolean {
  return /^(PodMonitor|ServiceMonitor|PrometheusRule) |^ConfigMap .*\/cluster-dns-dashboard$/.test(id);
}

/** Which invariants and which rows of the mode table are violated; empty if all hold. */
export function violations(
  props: Pick<Cluster, "components" | "said">,
  { components, kubelet }: RenderedCluster,
): string[] {
  const objects = components.flatMap((component) => component.objects as readonly Rendered[]);
  const said: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) said.push(what);
  };
  const find = (kind: string, name: string) => objects.find((o) => o.kind === kind && o.metadata.name === name);

  const ids = objects.map(idOf);
  must(new Set(ids).size === ids.length, "two objects of one kind and name");
  for (const object of objects) {
    const id = idOf(object);
    const { name, namespace } = object.metadata;
    must(/^[a-z0-9]([-a-z0-9.:]{0,61}[a-z0-9])?$/.test(name), `${id}: no name that the API server takes`);
    const ofMonitoring = isMonitoring(id) && namespace === props.components.monitoring?.namespace;
    const isRight = clusterScoped.test(object.kind)
      ? namespace === undefined
      : namespace === "kube-system" || ofMonitoring;
    must(isRight, `${id}: namespace ${namespace}`);
    must(contains(object.metadata.labels, props.said.labels), `${id}: not the extra labels`);
    must(contains(object.metadata.annotations, props.said.annotations), `${id}: not the extra annotations`);
    must(contains(object.metadata.labels, whose), `${id}: not the labels that say whose it is`);
    must(/^-?\d$/.test(object.metadata.annotations?.["argocd.argoproj.io/sync-wave"] ?? ""), `${id}: no sync wave`);
    // AKS deleted a DaemonSet with them (AKS#1435); Argo CD fights over them (coredns/helm#37).
    const labels = Object.keys(object.metadata.labels ?? {}).join();
    must(!/addonmanager|cluster-service/.test(labels), `${id}: labels of an addon manager`);
    must(!JSON.stringify(object.spec?.selector ?? {}).includes("app.kubernetes.io"), `${id}: selects by whose it is`);
    const substituted = JSON.stringify({ ...object, metadata: undefined, spec: withoutAnnotations(object.spec) });
    must(!/\$[{$]/.test(substituted), `${id}: what Flux would substitute`);
    for (const [path, value] of leaves(object)) {
      must(typeof value !== "number" || Number.isSafeInteger(value), `${id}: ${path} is ${String(value)}`);
    }
    if (object.spec?.template) podTemplate(id, object.spec);
  }

  const corefiles = objects.filter((o) => o.kind === "ConfigMap" && o.data?.Corefile !== undefined);
  for (const { metadata, data } of corefiles) {
    const zones = readCorefile(data?.Corefile ?? "")
      // A block with a view is for some of the queries only; another is for the rest.
      .filter(({ plugins }) => !plugins.some(({ name }) => name === "view"))
      .flatMap((block) =>
        block.keys.map(({ zone, port }) => `${zonesOf(zone).join()}:${port} at ${argsOf(block, "bind").join()}`),
      );
    must(new Set(zones).size === zones.length, `${metadata.name}: a zone twice, which CoreDNS refuses`);
    must(Buffer.byteLength(data?.Corefile ?? "") < 1_048_576, `${metadata.name}: larger than a ConfigMap can be`);
  }

  const service = find("Service", "kube-dns");
  if (service) must(String(service.spec?.clusterIPs) === String(props.said.clusterDNS), "kube-dns has other addresses");
  const scalers = [find("Deployment", "dns-autoscaler"), find("HorizontalPodAutoscaler", "coredns")].filter(Boolean);
  if (scalers.length > 0) {
    must(find("Deployment", "coredns")?.spec?.replicas === undefined, "replicas fight with the autoscaler");
    must(scalers.length === 1, "two autoscalers fight");
  }
  cache();
  return said;

  function podTemplate(id: string, { selector, template }: Spec): void {
    if (!template) return;
    const pod = template.spec;
    must(contains(template.metadata.labels, selector?.matchLabels), `${id}: selects other pods`);
    must(contains(template.metadata.labels, props.said.labels), `${id}: pods without the extra labels`);
    must(contains(template.metadata.labels, whose), `${id}: pods without the labels that say whose they are`);
    must(contains(template.metadata.annotations, props.said.annotations), `${id}: pods without the extra annotations`);
    must(/^system-(node|cluster)-critical$/.test(String(pod["priorityClassName"])), `${id}: its priority class`);
    must(find("ServiceAccount", pod.serviceAccountName ?? "") !== undefined, `${id}: no service account`);
    for (const name of mountedConfigMaps(pod)) {
      const mounted = find("ConfigMap", name);
      must(mounted !== undefined, `${id}: mounts ${name}, which is not there`);
      must(mounted?.immutable === true && /-[0-9a-f]{10}$/.test(name), `${id}: ${name} may change`);
      const { annotations = {} } = mounted?.metadata ?? {};
      must(
        annotations["argocd.argoproj.io/sync-options"]?.includes("Prune=false") === true &&
          annotations["kustomize.toolkit.fluxcd.io/prune"] === "disabled",
        `${id}: ${name} may be pruned under its pods`,
      );
    }
    for (const { name, image, ports, env = [] } of [...pod.containers, ...(pod.initContainers ?? [])]) {
      must(image !== "", `${id}: ${name} has no image`);
      must(!pod.hostNetwork || ports === undefined, `${id}: ${name} declares ports of the host`);
      const isText = env.every(({ value }) => value === undefined || typeof value === "string");
      must(isText, `${id}: an environment that is not text`);
    }
  }

  // One row of the mode table, read from the objects alone.
  function cache(): void {
    const daemonSet = find("DaemonSet", "node-local-dns");
    const told = (kubelet[0]?.object as { clusterDNS?: readonly string[] } | undefined)?.clusterDNS ?? [];
    if (!daemonSet?.spec?.template) {
      must(String(told) === String(props.said.clusterDNS), `no cache, but pods ask ${told.join()}`);
      must(find("Service", "kube-dns-upstream") === undefined, "an upstream Service that nobody asks");
      return;
    }
    const pod = daemonSet.spec.template.spec;
    const [container] = pod.containers;
    const mounted = mountedConfigMaps(pod).map((name) => find("ConfigMap", name)?.data ?? {});
    const blocks = readCorefile(mounted.find(({ Corefile }) => Corefile)?.Corefile ?? "", {
      KUBE_DNS_UPSTREAM_SERVICE_HOST: "upstream",
    });
    // What the cache asks itself is on the loopback.
    const bound = blocks
      .map((block) => argsOf(block, "bind"))
      .filter((addresses) => addresses.length === 0 || !addresses.every(isLoopback))
      .map((addresses) => addresses.filter((each) => !isLoopback(each)));
    const forwards = blocks.flatMap(({ plugins }) =>
      plugins.filter(({ name }) => name === "forward").flatMap(({ args }) => args.slice(1)),
    );
    must(new Set(bound.map(String)).size === 1, "zones of the cache bind different addresses");
    const listen = bound[0] ?? [];
    // Rules for iptables never lead the node's own queries to the cache.
    const ownAreLed = !mounted.some((data) => data["config.json"]?.includes('"packetFilter": "iptables"'));
    const own = listen.flatMap((address) => [address, `${address}:53`, `[${address}]:53`]);
    must(!ownAreLed || !forwards.some((server) => own.includes(server)), "the cache asks itself");
    must(new Set(listen).size === listen.length, "the cache binds an address twice");
    must(listen.length > 0 === (pod.hostNetwork === true), "addresses of another network");
    const isHeard = listen.length === 0 || told.every((address) => listen.includes(address));
    must(isHeard, "pods ask where no cache listens");

    const order = objects.findIndex((o) => o.metadata.name === "kube-dns-upstream");
    must(forwards.includes("upstream") === order >= 0, "the upstream Service and its use do not go together");
    must(order < objects.indexOf(daemonSet), "the upstream Service comes after the cache");

    const port = container?.env?.find(({ name }) => name === "HEALTH_PORT")?.value;
    // Plugin ready has a port of its own.
    const isAskedThere = blocks.some(({ plugins }) => plugins.some(({ name }) => name === "ready"));
    const probed = [container?.readinessProbe, container?.livenessProbe].map((probe) => String(probe?.httpGet?.port));
    must(String(probed) === String([isAskedThere ? "8181" : port, port]), `health on ${port}, not ${probed.join()}`);
  }
}

function isLoopback(address: string): boolean {
  return address.startsWith("127.");
}

function argsOf({ plugins }: WrittenBlock, directive: string): readonly string[] {
  return plugins.find(({ name }) => name === directive)?.args ?? [];
}

function idOf({ kind, metadata }: Rendered): string {
  return `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
}

function contains(all: { readonly [key: string]: string } = {}, some: object = {}): boolean {
  return Object.entries(some).every(([key, value]) => all[key] === value);
}

// Annotations are the user's: they ask for whatever Flux does to them.
function withoutAnnotations(spec: Spec | undefined): unknown {
  return spec?.template ? { ...spec, template: { ...spec.template, metadata: undefined } } : spec;
}

function leaves(value: unknown, path = ""): [path: string, value: unknown][] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, child]) => leaves(child, `${path}.${key}`));
}
