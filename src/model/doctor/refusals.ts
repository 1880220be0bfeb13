import type { Namespace, PodSpec, Webhook, WebhookConfiguration, Workload } from "../kubernetes/kinds";
import { jsonPatch } from "../kubernetes/json-patch";
import { identity, namespacedName } from "../kubernetes/object";
import { podTemplate } from "../kubernetes/pods";
import { matches } from "../kubernetes/selectors";
import { namespace } from "../object-names";
import { podLabels } from "../running/find-dns";
import { dense } from "../syntax/sparse";
import { isSame } from "./drift";
import { atEach, finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { kubectl, look, noted, type Suggestion } from "./suggestions";

/** What refuses the next pods of workloads, while those that run stay. */
interface Refusal {
  readonly evidence: string;
  readonly next: readonly Suggestion[];
  readonly refuses: (workload: Workload) => boolean;
}

/** Workloads of ours, and of the cluster's DNS, that could not replace a pod. */
export function refusals(patient: Patient): Findings {
  const ours = patient.renderedWorkloads;
  const all = [...ours, ...patient.dnsWorkloads.filter((each) => !ours.some((one) => isSame(one, each)))];
  const found = [
    ...(patient.state.namespaces ?? []).map(ofPodSecurity),
    ...(patient.state.webhooks ?? []).flatMap((each) => ofWebhooks(each, patient)),
  ];
  return found.map(({ evidence, next, refuses }) => {
    const refused = all.filter(refuses);
    const told = `${evidence}: pods that run stay, and none takes their place`;
    return refused.length > 0 && finding("refused-next", atEach(refused.map(identity)), told, next);
  });
}

const label = "pod-security.kubernetes.io/enforce";

function ofPodSecurity({ metadata: { name, labels = {} } }: Namespace): Refusal {
  const level = labels[label] ?? "privileged";
  return {
    evidence: `namespace ${name} has the label ${label}=${level}`,
    next: [
      kubectl`get namespace ${name} -o yaml`,
      kubectl`label --overwrite namespace ${name} ${`${label}=privileged`}`,
    ],
    refuses: (workload) => placeOf(workload) === name && isRefused(podTemplate(workload).spec, level),
  };
}

/** By what ours have of what the levels forbid. */
function isRefused({ hostNetwork, volumes = [], securityContext = {} }: PodSpec, level: string): boolean {
  const mayBeRoot = !("runAsNonRoot" in (securityContext as object));
  const isOfNode = hostNetwork === true || volumes.some((each) => "hostPath" in each);
  return level !== "privileged" && (isOfNode || (level === "restricted" && mayBeRoot));
}

function placeOf({ metadata }: Workload): string {
  return metadata.namespace ?? namespace;
}

/** The Services without which no pod is admitted. */
export function neededServices(configurations: readonly WebhookConfiguration[]): { name: string; namespace: string }[] {
  const needed = configurations.flatMap(({ webhooks = [] }) => webhooks.filter(isNeeded));
  const services = dense(needed.map(({ clientConfig }) => clientConfig.service));
  return [...new Map(services.map((each) => [calledName(each), each])).values()];
}

/** Whether new pods are refused if it does not answer. */
function isNeeded({ failurePolicy = "Fail", rules = [] }: Webhook): boolean {
  const has = (all: readonly string[] = [], ...some: readonly string[]) =>
    some.some((each) => all.includes(each)) || all.includes("*");
  return (
    failurePolicy === "Fail" &&
    rules.some(
      ({ apiGroups, operations, resources, scope }) =>
        has(apiGroups, "") && has(operations, "CREATE") && has(resources, "pods", "*/*") && scope !== "Cluster",
    )
  );
}

export function calledName({ name, namespace: of }: { readonly name: string; readonly namespace: string }): string {
  return namespacedName({ metadata: { name, namespace: of } });
}

function ofWebhooks(configuration: WebhookConfiguration, { state }: Patient): Refusal[] {
  return (configuration.webhooks ?? []).flatMap((webhook) => {
    const { name, clientConfig, namespaceSelector = {}, objectSelector = {}, matchConditions = [] } = webhook;
    const { service } = clientConfig;
    const why = service && state.called.get(calledName(service));
    if (!service || why === undefined || !isNeeded(webhook)) return [];
    const failurePolicy = "Ignore";
    const ignore = jsonPatch(configuration, { webhooks: [{ name, failurePolicy }] }, [
      { path: ["webhooks", name, "failurePolicy"], before: webhook.failurePolicy, after: failurePolicy },
    ]);
    const { kind, metadata } = configuration;
    const unless = matchConditions.length > 0 ? ", unless its matchConditions leave them out" : "";
    return {
      evidence: `${identity(configuration)}, webhook ${name}, failurePolicy Fail, calls Service ${calledName(service)}, which ${why}${unless}`,
      next: [
        look(configuration),
        kubectl`get service,endpointslices -n ${service.namespace}`,
        noted(
          kubectl`patch ${kind.toLowerCase()} ${metadata.name} --type=json -p ${JSON.stringify(ignore)}`,
          "until that Service has a ready pod",
        ),
      ],
      refuses: (workload) => {
        const place = placeOf(workload);
        const labels = state.namespaces?.find((each) => each.metadata.name === place)?.metadata.labels;
        return (
          matches(namespaceSelector, { labels: { "kubernetes.io/metadata.name": place, ...labels } }) &&
          matches(objectSelector, { labels: podLabels(workload) })
        );
      },
    };
  });
}
