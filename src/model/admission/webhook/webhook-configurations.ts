import { names, namespace } from "../../object-names";
import { dense, type Sparse } from "../../syntax/sparse";
import { ownLabel } from "../namespaces";
import type { AdmissionPlan } from "../plan";
import type { PodDns } from "../pod-dns";
import { celList } from "../policies/cel";
import { namespaceRule } from "../policies/namespaces";
import { elsewhere, podCondition, podNamespaceSelector, podRule } from "../policies/pod-dns";
import type { LabelSelector } from "../../kubernetes/kinds";
import { namespaceNameLabel, type NamedExpression, type ResourceRule, ruleFor } from "../policies/policy";
import { protectedConditions, protectedRule } from "../policies/protected-objects";
import { untouchedNamespaces } from "../tenant-dns";
import { podPath, webhookPaths } from "./webhook-config";

/** An entry of a webhook configuration (admissionregistration.k8s.io/v1), with the API server's defaults filled in. */
export type WebhookEntry = ReturnType<typeof entry> & { readonly reinvocationPolicy?: "IfNeeded" };

interface EntryParts {
  readonly name: string;
  readonly path: string;
  readonly rule: ResourceRule;
  readonly namespaceSelector: LabelSelector;
  readonly matchConditions?: readonly NamedExpression[];
  /** @default 1 */
  readonly timeoutSeconds?: number;
}

export function mutatingWebhooks({ podDns }: AdmissionPlan["webhook"]): WebhookEntry[] {
  if (!podDns) return [];
  return podEntryParts(podDns).map((parts) => ({ ...entry(parts), reinvocationPolicy: "IfNeeded" }));
}

export function validatingWebhooks(tasks: AdmissionPlan["webhook"]): WebhookEntry[] {
  const { namespaces, protectedObjects, placementGuard } = tasks;
  const only = (name: string) => ({ matchExpressions: [{ key: namespaceNameLabel, operator: "In", values: [name] }] });
  const entries: Sparse<EntryParts> = [
    namespaces && {
      name: "namespaces",
      path: webhookPaths.namespaces,
      rule: namespaceRule(namespaces.tenancy),
      namespaceSelector: { matchExpressions: [elsewhere] },
    },
    protectedObjects?.objects.map((each) => ({
      name: each.resource,
      path: webhookPaths.protectedObjects,
      rule: protectedRule(each.resource),
      namespaceSelector: only(protectedObjects.namespace),
      matchConditions: protectedConditions(each, protectedObjects.allowed),
    })),
    placementGuard && {
      name: "placement",
      path: webhookPaths.placement,
      rule: ruleFor(["CREATE", "UPDATE"], ["deployments", "daemonsets"], "Namespaced", "apps"),
      namespaceSelector: only(placementGuard.namespace),
      matchConditions: [
        { name: "dns-workload", expression: `object.metadata.name in ${celList(placementGuard.names)}` },
        // Scaling and controllers' writes do not concern it.
        {
          name: "changes-pods",
          expression: `request.operation == "CREATE" || object.spec.template != oldObject.spec.template`,
        },
      ],
    },
  ];
  return dense(entries).map(entry);
}

/** The most names in a selector; with more, the webhook itself checks every pod's namespace. */
const mostSelectedNamespaces = 500;

function podEntryParts(podDns: PodDns): EntryParts[] {
  const { tenants, all } = podDns;
  const parts = (
    name: string,
    path: string,
    more: LabelSelector["matchExpressions"] = [],
    conditions: readonly NamedExpression[] = [],
  ): EntryParts => ({
    name,
    path,
    rule: podRule,
    namespaceSelector: { matchExpressions: [...podNamespaceSelector(podDns), ...more] },
    matchConditions: [podCondition(podDns), ...conditions],
    timeoutSeconds: 2,
  });
  const everywhere = parts("pods", podPath());
  if (!tenants) return [everywhere];

  const { tenancy } = tenants;
  const system =
    tenancy.systemTenant?.namespaces.filter((name) => !untouchedNamespaces.some((one) => one === name)) ?? [];
  const named = (values: readonly string[]) => [{ key: namespaceNameLabel, operator: "In" as const, values }];
  const label = ownLabel(tenancy);
  if (label !== undefined) {
    const labelled = (operator: "In" | "NotIn", values: readonly string[]) => [{ key: label, operator, values }];
    const ofTenants = tenancy.tenants.map(({ name }) => name);
    const others = all ? labelled("NotIn", ofTenants) : named(system);
    return [
      ...(all || system.length > 0 ? [parts("pods", podPath(), others)] : []),
      ...ofTenants.map((name) => parts(`${name}.pods`, podPath(name), labelled("In", [name]))),
    ];
  }
  if (all) return [everywhere];
  if (tenancy.membership === "prefix") {
    const prefixes = tenancy.tenants.map(({ name }) => `${name}-`);
    const ofTenant = `request.namespace in ${celList(system)} || ${celList(prefixes)}.exists(prefix, request.namespace.startsWith(prefix))`;
    return [parts("pods", podPath(), [], [{ name: "of-a-tenant", expression: ofTenant }])];
  }
  const listed = [...system, ...tenancy.tenants.flatMap(({ namespaces = [] }) => namespaces)];
  return [parts("pods", podPath(), listed.length <= mostSelectedNamespaces ? named(listed) : [])];
}

function entry({ name, path, rule, namespaceSelector, matchConditions = [], timeoutSeconds = 1 }: EntryParts) {
  return {
    name: `${name}.webhook.cluster-dns`,
    admissionReviewVersions: ["v1"],
    clientConfig: { service: { namespace, name: names.webhook, path, port: 443 } },
    // Never Fail: the cluster must keep working whatever happens to the webhook.
    failurePolicy: "Ignore",
    ...(matchConditions.length > 0 ? { matchConditions } : {}),
    matchPolicy: "Equivalent",
    namespaceSelector,
    objectSelector: {},
    rules: [rule],
    sideEffects: "None",
    timeoutSeconds,
  };
}
