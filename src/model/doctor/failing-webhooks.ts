import { jsonPatch } from "../kubernetes/json-patch";
import type { Webhook, WebhookConfiguration, Workload } from "../kubernetes/kinds";
import { identity, type Metadata, namespacedName } from "../kubernetes/object";
import { matches } from "../kubernetes/selectors";
import { namespace } from "../object-names";
import { podLabels } from "../running/find-dns";
import { grouped } from "../syntax/grouped";
import { dense } from "../syntax/sparse";
import { atEach, finding, type Findings } from "./finding";
import type { FindingId } from "./findings";
import type { Patient } from "./patient";
import { kubectl, look, noted, patching } from "./suggestions";
import { whyTrustsNothing } from "./webhooks";

/** What is written of DNS, again and again, while it is healthy. */
interface Write {
  readonly group: string;
  readonly resource: string;
  readonly operation: "CREATE" | "UPDATE";
  readonly id: FindingId;
  /** What becomes of DNS if it is refused. */
  readonly so: string;
  readonly written: (patient: Patient) => readonly Written[];
}

interface Written {
  readonly what: string;
  readonly namespace: string;
  readonly labels?: Metadata["labels"];
}

const writes: readonly Write[] = [
  {
    group: "",
    resource: "pods",
    operation: "CREATE",
    id: "refused-next",
    so: "pods that run stay, and none takes their place",
    written: (patient) => patient.ownWorkloads.map(madeFor),
  },
  {
    group: "",
    resource: "pods/binding",
    operation: "CREATE",
    id: "refused-next",
    so: "no new pod gets a node",
    written: (patient) => patient.ownWorkloads.map((each) => ({ ...madeFor(each), labels: {} })),
  },
  {
    group: "apps",
    resource: "replicasets",
    operation: "CREATE",
    id: "refused-next",
    so: "no rollout begins",
    written: (patient) => patient.ownWorkloads.filter(({ kind }) => kind === "Deployment").map(madeFor),
  },
  {
    group: "",
    resource: "pods/status",
    operation: "UPDATE",
    id: "writes-refused",
    so: "a pod that becomes ready gets no queries, and one that ceases to be goes on to get them",
    written: (patient) => patient.ownWorkloads.map(madeFor),
  },
  {
    group: "discovery.k8s.io",
    resource: "endpointslices",
    operation: "UPDATE",
    id: "writes-refused",
    so: "pods that go stay endpoints, and new ones become none",
    written: ({ state }) =>
      (state.endpointSlices ?? []).map((each) => ({
        what: identity(each),
        namespace: each.metadata.namespace ?? namespace,
        ...(each.metadata.labels && { labels: each.metadata.labels }),
      })),
  },
  {
    group: "coordination.k8s.io",
    resource: "leases",
    operation: "UPDATE",
    id: "writes-refused",
    so: "all nodes become not ready within a minute",
    written: () => [{ what: "Leases of nodes", namespace: "kube-node-lease" }],
  },
];

/** Its pods, or what makes these. */
function madeFor(workload: Workload): Written {
  return {
    what: identity(workload),
    namespace: workload.metadata.namespace ?? namespace,
    labels: podLabels(workload),
  };
}

/** Webhooks of somebody that refuse what is written of DNS: their Service leads nowhere, or no certificate is trusted. */
export function failingWebhooks(patient: Patient): Findings {
  return (patient.state.webhooks ?? []).flatMap((configuration) =>
    (configuration.webhooks ?? []).flatMap((webhook) => refusalsOf(webhook, configuration, patient)),
  );
}

/** The Services without which something of DNS cannot be written. */
export function neededServices(configurations: readonly WebhookConfiguration[]): { name: string; namespace: string }[] {
  const needed = configurations.flatMap(({ webhooks = [] }) => webhooks.filter((each) => writesAsked(each).length > 0));
  const services = dense(needed.map(({ clientConfig }) => clientConfig.service));
  return [...new Map(services.map((each) => [calledName(each), each])).values()];
}

export function calledName({ name, namespace: of }: { readonly name: string; readonly namespace: string }): string {
  return namespacedName({ metadata: { name, namespace: of } });
}

/** What is refused if it does not answer. */
function writesAsked({ failurePolicy = "Fail", rules = [] }: Webhook): readonly Write[] {
  return failurePolicy === "Fail" ? writes.filter((each) => rules.some((rule) => isOfRule(each, rule))) : [];
}

/** As the API server matches them: apiserver/pkg/admission/plugin/webhook/predicates/rules/rules.go. */
function isOfRule({ group, resource, operation }: Write, rule: NonNullable<Webhook["rules"]>[number]): boolean {
  const has = (all: readonly string[] = [], one: string) => all.includes("*") || all.includes(one);
  const [own, ownPart = ""] = resource.split("/");
  const isResource = (each: string) => {
    const [said, part = ""] = each.split("/");
    return (said === "*" || said === own) && (part === "*" || part === ownPart);
  };
  return (
    rule.scope !== "Cluster" &&
    has(rule.apiGroups, group) &&
    has(rule.operations, operation) &&
    (rule.resources ?? []).some(isResource)
  );
}

function refusalsOf(webhook: Webhook, configuration: WebhookConfiguration, patient: Patient): Findings {
  const { name, clientConfig, namespaceSelector = {}, objectSelector = {}, matchConditions = [] } = webhook;
  const { service, url = "", caBundle = "" } = clientConfig;
  const called = service ? `Service ${calledName(service)}` : url;
  const lost = service && patient.state.called.get(calledName(service));
  // Without one, the API server trusts what its machine trusts.
  const distrusts = caBundle === "" ? undefined : whyTrustsNothing(caBundle, patient.state.now);
  const why = lost === undefined ? distrusts && `and its caBundle ${distrusts}` : `which ${lost}`;
  if (why === undefined) return [];
  const isAsked = ({ namespace: place, labels = {} }: Written) => {
    const ofPlace = patient.state.namespaces?.find((each) => each.metadata.name === place)?.metadata.labels;
    return (
      matches(namespaceSelector, { labels: { "kubernetes.io/metadata.name": place, ...ofPlace } }) &&
      matches(objectSelector, { labels })
    );
  };
  const refused = writesAsked(webhook).flatMap((write) => {
    const written = write.written(patient).filter(isAsked);
    return written.length > 0 ? [{ ...write, written }] : [];
  });
  const unless = matchConditions.length > 0 ? ", unless its matchConditions leave them out" : "";
  const evidence = `${identity(configuration)}, webhook ${name}, failurePolicy Fail, calls ${called}, ${why}${unless}`;
  return grouped(refused, ({ id }) => id).map(([id, same]) =>
    finding(
      id,
      atEach([...new Set(same.flatMap(({ written }) => written.map(({ what }) => what)))]),
      [evidence, same.map(({ so }) => so)],
      [
        look(configuration),
        service && kubectl`get service,endpointslices -n ${service.namespace}`,
        noted(ignoring(webhook, configuration), "until the API server can call it"),
      ],
    ),
  );
}

/** A failure of it refuses nothing any more. */
function ignoring({ name, failurePolicy: before }: Webhook, configuration: WebhookConfiguration) {
  const after = "Ignore";
  const patch = jsonPatch(configuration, { webhooks: [{ name, failurePolicy: after }] }, [
    { path: ["webhooks", name, "failurePolicy"], before, after },
  ]);
  return patching(configuration, patch);
}
