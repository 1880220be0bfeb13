import { differences } from "../kubernetes/differences";
import { unlikeRendered } from "../kubernetes/unlike-rendered";
import type { Container, PodSpec, Service, WebhookConfiguration, Workload } from "../kubernetes/kinds";
import type { KubernetesObject } from "../kubernetes/object";
import { containersOf, mountedConfigMaps } from "../kubernetes/pods";
import { withoutKeys } from "../syntax/mapping";
import { isMore } from "../syntax/quantity";

/** An object that a cluster lacks, or has otherwise than rendered. */
export interface Drift {
  readonly wanted: KubernetesObject;
  /** Undefined if it is missing. */
  readonly live: KubernetesObject | undefined;
  /** None of one that is missing, or is being deleted. */
  readonly fields: readonly Field[];
}

/** A field as it is, and as it is rendered. */
export interface Field {
  readonly name: string;
  readonly is: unknown;
  readonly says: unknown;
}

/**
 * What a cluster lacks of rendered objects, and what decides answers in those that it has and is otherwise.
 * @param running The objects of a kind; undefined if they were not read.
 */
export function drift(
  rendered: readonly KubernetesObject[],
  running: (kind: string) => readonly KubernetesObject[] | undefined,
): Drift[] {
  return rendered.flatMap((wanted): Drift[] => {
    const facts = deciding[wanted.kind] ?? allOf;
    const all = running(wanted.kind);
    if (!all) return [];
    const live = all.find((each) => isSame(each, wanted));
    // Whatever one has that is being deleted will be gone.
    if (!live || live.metadata.deletionTimestamp !== undefined) return [{ wanted, live, fields: [] }];
    const is = facts(live);
    const fields = Object.entries(facts(wanted))
      .map(([name, says]) => ({ name, is: is[name], says }))
      .filter(({ name, is: one, says }) => !(fulfils[name] ?? isEqual)(one, says));
    return fields.length > 0 ? [{ wanted, live, fields }] : [];
  });
}

/** Whether two objects have the same kind, name and namespace. */
export function isSame(a: KubernetesObject, b: KubernetesObject): boolean {
  return a.kind === b.kind && a.metadata.name === b.metadata.name && isBeside(a, b);
}

/** Whether two objects have the same namespace; not everything read names its own. */
export function isBeside(a: Pick<KubernetesObject, "metadata">, b: Pick<KubernetesObject, "metadata">): boolean {
  const [of, other] = [a, b].map(({ metadata }) => metadata.namespace);
  return of === undefined || other === undefined || of === other;
}

type Facts = { readonly [name: string]: unknown };

/** Whatever a kind has. */
function allOf(object: KubernetesObject): Facts {
  return withoutKeys({ ...object }, ["apiVersion", "kind", "metadata", "status"]);
}

/**
 * Of kinds that are not compared as a whole, what decides answers, with the API server's defaults. What it chooses itself
 * is undefined. `spec` is all that the other facts do not have.
 */
const deciding: { readonly [kind: string]: (object: KubernetesObject) => Facts } = {
  Service: shaped(service),
  ConfigMap: ({ data = {} }) => ({ data }),
  Deployment: shaped(workload),
  DaemonSet: shaped(workload),
  MutatingWebhookConfiguration: shaped(calls),
  ValidatingWebhookConfiguration: shaped(calls),
  ServiceAccount: shaped(({ automountServiceAccountToken }: Account) => ({ automountServiceAccountToken })),
  ClusterRole: shaped(grants),
  Role: shaped(grants),
  ClusterRoleBinding: shaped(binding),
  RoleBinding: shaped(binding),
};

/** Objects of a kind have its shape: they were read from the API server, or are ours. */
function shaped<T extends KubernetesObject>(facts: (object: T) => Facts): (object: KubernetesObject) => Facts {
  return (object) => facts(object as T);
}

/** Where more than what is rendered is as good. */
const fulfils: { readonly [name: string]: (is: unknown, says: unknown) => boolean } = {
  clusterIPs: (is, says) => says === undefined || (is === "None" && says === "None") || isEqual(is, says),
  replicas: (is, says) => says === undefined || Number(is) >= Number(says),
  memory: (is, says) => lowerLimits(is, says).length === 0,
  rules: (is, says) => lacking(is, says, covers).length === 0,
  subjects: (is, says) => lacking(is, says).length === 0,
  spec: (is, says) => unlikeRendered(is, says, ["spec"]).length === 0,
  webhooks: (is, says) => unlikeRendered(is, says, ["webhooks"]).length === 0,
};

type Limits = { readonly [container: string]: string | undefined };

/** Containers that may use less than is rendered, or any limit where none is. */
export function lowerLimits(is: unknown, says: unknown): [container: string, is: string, says: string | undefined][] {
  return Object.entries(says as Limits).flatMap(([name, limit]): ReturnType<typeof lowerLimits> => {
    const has = (is as Limits)[name];
    return has !== undefined && (limit === undefined || isMore(limit, has)) ? [[name, has, limit]] : [];
  });
}

function isEqual(is: unknown, says: unknown): boolean {
  return differences(is, says).length === 0;
}

/** What a list lacks. */
export function lacking(
  is: unknown,
  says: unknown,
  isEnough = (one: string, wanted: string) => one === wanted,
): string[] {
  return (says as string[]).filter((wanted) => !(is as string[]).some((one) => isEnough(one, wanted)));
}

/** A grant may be of all verbs, resources or groups. */
export function covers(grant: string, wanted: string): boolean {
  const parts = wanted.split(" ");
  return grant.split(" ").every((part, i) => part === "*" || part === parts[i]);
}

/** With `Local`, nodes without an endpoint of their own get no answer. */
const toAnyNode = "Cluster";

/** With it, kube-proxy leaves a Service to somebody else. */
export const proxyLabel = "service.kubernetes.io/service-proxy-name";

function service({ metadata, spec }: Service): Facts {
  const { clusterIP, clusterIPs, selector = {}, ports = [], internalTrafficPolicy = toAnyNode, ...others } = spec;
  return {
    clusterIPs: clusterIP === "None" ? "None" : (clusterIPs ?? clusterIP),
    selector,
    ports: ports
      .map(({ name = "", port, protocol = "TCP", targetPort = port }) =>
        `${name} ${port}/${protocol} to ${targetPort}`.trim(),
      )
      .sort(),
    internalTrafficPolicy,
    [proxyLabel]: metadata.labels?.[proxyLabel] ?? "",
    spec: others,
  };
}

function workload({ spec: { replicas, template, ...others } }: Workload): Facts {
  const { initContainers = [], containers, volumes = [], ...pod } = template.spec;
  return {
    replicas,
    configMaps: mountedConfigMaps(template.spec).sort(),
    memory: memoryLimits(template.spec),
    spec: {
      ...others,
      template: {
        spec: {
          ...pod,
          initContainers: initContainers.map(withoutMemoryLimit),
          containers: containers.map(withoutMemoryLimit),
          volumes: volumes.map(({ configMap, ...volume }) => ({ ...volume, configMap: { ...configMap, name: "" } })),
        },
      },
    },
  };
}

function withoutMemoryLimit({ resources, ...container }: Container): Container {
  const { memory: _memory, ...limits } = resources?.limits ?? {};
  return { ...container, resources: { ...resources, limits } };
}

/** Of each container. */
export function memoryLimits(spec: PodSpec): Limits {
  return Object.fromEntries(containersOf(spec).map(({ name, resources }) => [name, resources?.limits?.memory]));
}

/** Of each webhook which Service is called, and what happens if it does not answer; and, of all, about what it is asked. */
function calls({ webhooks = [] }: WebhookConfiguration): Facts {
  const called = webhooks.map(({ name, failurePolicy, clientConfig: { service: of } }) => [
    name,
    `${of?.namespace}/${of?.name}:${of?.port ?? 443}, failurePolicy ${failurePolicy}`,
  ]);
  const asked = webhooks.map(({ failurePolicy: _policy, clientConfig: _called, ...others }) => others);
  return { ...Object.fromEntries(called), webhooks: asked };
}

interface Role extends KubernetesObject {
  readonly rules?: readonly {
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs?: readonly string[];
  }[];
}

/** Verb, resource, group and, if it is of one object alone, its name: `list endpointslices discovery.k8s.io`. */
function grants({ rules = [] }: Role): Facts {
  const all = rules.flatMap(({ apiGroups = [], resources = [], resourceNames = [""], verbs = [] }) =>
    verbs.flatMap((verb) =>
      resources.flatMap((resource) =>
        apiGroups.flatMap((group) =>
          resourceNames.map((name) => `${verb} ${resource} ${group || "core"} ${name}`.trim()),
        ),
      ),
    ),
  );
  return { rules: all };
}

interface Account extends KubernetesObject {
  readonly automountServiceAccountToken?: boolean;
}

interface Binding extends KubernetesObject {
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly namespace?: string; readonly name: string }[];
}

function binding({ roleRef, subjects = [] }: Binding): Facts {
  return {
    roleRef: `${roleRef?.kind} ${roleRef?.name}`,
    subjects: subjects.map(({ kind, namespace = "", name }) => `${kind} ${namespace}/${name}`),
  };
}
