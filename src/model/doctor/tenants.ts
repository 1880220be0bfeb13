import { takesTenantDns } from "../admission/pod-dns";
import { tenantDns, untouchedNamespaces } from "../admission/tenant-dns";
import type { Pod, Workload } from "../kubernetes/kinds";
import { isCurrent, isOf, isReady, nodesOf, placeOf } from "../kubernetes/pods";
import { names } from "../object-names";
import type { PodDnsConfig, PodDnsRules } from "../tenancy/pod-dns-config";
import { type Finding, grouped, some } from "./finding";
import { type Described, type Observed, rendered, systemPods } from "./observed";

/** Tenants' pods without the DNS configuration of their tenant, and pods with names of another in their search list. */
export function tenants(observed: Observed, described?: Described): Finding[] {
  const { pods, namespaces } = observed;
  const rules = described?.cluster.podDns;
  if (!rules || !pods || !namespaces) return [];
  const facts = new Map(
    namespaces.map(({ metadata: { name, labels } }) => [name, { name, ...(labels && { labels }) }] as const),
  );
  const wrong = pods.filter(isCurrent).flatMap((pod) => {
    const { namespace = "default" } = pod.metadata;
    if (untouchedNamespaces.some((name) => name === namespace)) return [];
    const wanted = tenantDns(rules, facts.get(namespace) ?? { name: namespace });
    const what = wanted ? unlike(pod, wanted, rules) : strays(pod, [], rules);
    return what === undefined ? [] : [{ pod, what, namespace }];
  });
  const webhook = rendered<Workload>(described, "Deployment").filter(({ metadata }) => metadata.name === names.webhook);
  const isWebhookAway = webhook.some((each) => !systemPods(observed).some((pod) => isOf(each, pod) && isReady(pod)));
  const after = isWebhookAway
    ? "once the webhook has a ready pod: until then, a new pod is like this one; and if a controller creates it again"
    : "if a controller creates it again";
  return grouped(wrong, ({ what }) => what).map(([what, same]): Finding => {
    const [{ pod, namespace = "" } = { pod: undefined }] = same;
    const isAdmitted = described.cluster.admission !== undefined;
    return {
      severity: "warning",
      title: what.startsWith("stray")
        ? "pods search names that are not their tenant's"
        : "pods lack their tenant's DNS configuration",
      nodes: nodesOf(same.map((each) => each.pod)),
      where: some(same.map((each) => `pod ${placeOf(each.pod)}`)),
      evidence: [
        what,
        isAdmitted
          ? "a pod's DNS is fixed when it is created: it slipped through admission, or is older"
          : "the cluster file has no `admission`: each pod must have dnsPolicy: None and its tenant's dnsConfig itself",
      ],
      next: [
        `kubectl get pod ${pod?.metadata.name ?? ""} -n ${namespace} -o jsonpath='{.spec.dnsPolicy} {.spec.dnsConfig}'`,
        `kubectl delete pod ${pod?.metadata.name ?? ""} -n ${namespace}  # ${after}`,
      ],
    };
  });
}

function unlike(pod: Pod, wanted: PodDnsConfig, rules: PodDnsRules): string | undefined {
  const { dnsPolicy = "ClusterFirst", dnsConfig } = pod.spec;
  if (takesTenantDns(pod))
    return `dnsPolicy is ${dnsPolicy}, it should be None with searches ${wanted.searches.join(" ")}`;
  // Those that keep the node's DNS.
  if (dnsPolicy !== "None") return undefined;
  const missing = wanted.searches.filter((search) => !dnsConfig?.searches?.includes(search));
  if (missing.length > 0) return `searches lack ${missing.join(" ")}`;
  const servers = wanted.nameservers.filter((server) => !dnsConfig?.nameservers?.includes(server));
  if (servers.length > 0) return `nameservers lack ${servers.join(" ")}`;
  return strays(pod, wanted.searches, rules);
}

/** Searches within the cluster that are not the tenant's own. */
function strays(
  { spec: { dnsConfig } }: Pod,
  own: readonly string[],
  { tenancy, clusterDomain }: PodDnsRules,
): string | undefined {
  const tenantNames = [
    ...tenancy.tenants.map(({ name }) => name),
    ...(tenancy.systemTenant ? [tenancy.systemTenant.name] : []),
  ];
  const isOfTenant = (search: string) =>
    tenantNames.some((name) => `.${search}`.endsWith(`.${name}.svc.${clusterDomain}`));
  const beyond = (search: string) => isOfTenant(search) || (own.length > 0 && search.endsWith(`.${clusterDomain}`));
  const stray = (dnsConfig?.searches ?? []).filter((search) => !own.includes(search) && beyond(search));
  return stray.length === 0 ? undefined : `stray searches: ${stray.join(" ")}`;
}
