import { takesTenantDns } from "../admission/pod-dns";
import { isUntouched, tenantDns } from "../admission/tenant-dns";
import type { Pod } from "../kubernetes/kinds";
import { isCurrent, isReady } from "../kubernetes/pods";
import { names } from "../object-names";
import { tenantNames } from "../tenancy/membership";
import { tenantNdots, type PodDnsConfig, type PodDnsRules } from "../tenancy/pod-dns-config";
import { atPods, type Finding, finding } from "./finding";
import { grouped } from "../syntax/grouped";
import type { FindingId } from "./findings";
import type { Patient } from "./patient";
import { kubectl, noted } from "./suggestions";

/** Tenants' pods without the DNS configuration of their tenant, and pods with names of another in their search list. */
export function tenants(patient: Patient): Finding[] {
  const { pods, namespaces } = patient.state;
  const rules = patient.cluster?.podDns;
  if (!rules || !pods || !namespaces) return [];
  const facts = new Map(
    namespaces.map(({ metadata: { name, labels } }) => [name, { name, ...(labels && { labels }) }] as const),
  );
  const wrong = pods.filter(isCurrent).flatMap((pod): { pod: Pod; id: FindingId; what: string }[] => {
    const { namespace = "default" } = pod.metadata;
    if (isUntouched({ name: namespace })) return [];
    const wanted = tenantDns(rules, facts.get(namespace) ?? { name: namespace });
    const lacks = wanted && compareTenantDns(pod, wanted, rules);
    const stray = lacks === undefined && ownsDns(pod, wanted) ? strays(pod, wanted?.searches ?? [], rules) : undefined;
    if (lacks !== undefined) return [{ pod, id: "tenant-dns-missing", what: lacks }];
    return stray === undefined ? [] : [{ pod, id: "tenant-dns-strays", what: stray }];
  });
  const webhook = patient.renderedWorkloads.find(({ metadata }) => metadata.name === names.webhook);
  const isWebhookAway = webhook !== undefined && !patient.podsOf(webhook).some(isReady);
  const after = isWebhookAway
    ? "once the webhook has a ready pod: until then, a new pod is like this one; and if a controller creates it again"
    : "if a controller creates it again";
  const why =
    patient.cluster?.admission === undefined
      ? "the cluster file has no `admission`: each pod must have dnsPolicy: None and its tenant's dnsConfig itself"
      : "a pod's DNS is fixed when it is created: it slipped through admission, or is older";
  return grouped(wrong, ({ what }) => what).map(([what, same]) => {
    const [first] = same;
    const { name, namespace = "default" } = first.pod.metadata;
    return finding(
      first.id,
      atPods(same.map(({ pod }) => pod)),
      [what, why],
      [
        kubectl`get pod ${name} -n ${namespace} -o ${"jsonpath={.spec.dnsPolicy} {.spec.dnsConfig}"}`,
        noted(kubectl`delete pod ${name} -n ${namespace}`, after),
      ],
    );
  });
}

/** Those of a tenant that keep the node's DNS have none of their own. */
function ownsDns({ spec: { dnsPolicy } }: Pod, wanted: PodDnsConfig | undefined): boolean {
  return wanted === undefined || dnsPolicy === "None";
}

function compareTenantDns(pod: Pod, wanted: PodDnsConfig, rules: PodDnsRules): string | undefined {
  const { dnsPolicy = "ClusterFirst", dnsConfig } = pod.spec;
  if (dnsPolicy !== "None")
    return takesTenantDns(pod, rules)
      ? `dnsPolicy is ${dnsPolicy}, it should be None with searches ${wanted.searches.join(" ")}`
      : undefined;
  const missing = wanted.searches.filter((search) => !dnsConfig?.searches?.includes(search));
  if (missing.length > 0) return `searches lack ${missing.join(" ")}`;
  const servers = wanted.nameservers.filter((server) => !dnsConfig?.nameservers?.includes(server));
  if (servers.length > 0) return `nameservers lack ${servers.join(" ")}`;
  const ndots = dnsConfig?.options?.find(({ name }) => name === "ndots")?.value;
  return rules.tenancy.strict && ndots !== String(tenantNdots)
    ? `ndots is ${ndots ?? "not set"}, it should be ${tenantNdots}`
    : undefined;
}

/** Searches within the cluster that are not the tenant's own. */
function strays(
  { spec: { dnsConfig } }: Pod,
  own: readonly string[],
  { tenancy, clusterDomain }: PodDnsRules,
): string | undefined {
  const isOfTenant = (search: string) =>
    tenantNames(tenancy).some((name) => `.${search}`.endsWith(`.${name}.svc.${clusterDomain}`));
  const beyond = (search: string) => isOfTenant(search) || (own.length > 0 && search.endsWith(`.${clusterDomain}`));
  const stray = (dnsConfig?.searches ?? []).filter((search) => !own.includes(search) && beyond(search));
  return stray.length === 0 ? undefined : `searches ${stray.join(" ")}`;
}
