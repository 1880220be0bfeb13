import { names, namespace } from "../../object-names";
import { ownLabel } from "../namespaces";
import type { AdmissionPlan } from "../plan";
import type { PodDns } from "../pod-dns";
import { celList } from "../policies/cel";
import { namespaceRule } from "../policies/namespaces";
import { elsewhere, podCondition, podNamespaceSelector, podRule } from "../policies/pod-dns";
import { namespaceNameLabel, type NamedExpression, type ResourceRule, type Selector } from "../policies/policy";
import { protectedConditions, protectedRule } from "../policies/protected-objects";
import { untouchedNamespaces } from "../tenant-dns";
import { podPath, webhookPaths } from "./webhook-config";

/** An entry of a webhook configuration (admissionregistration.k8s.io/v1), with the API server's defaults filled in. */
export interface WebhookEntry {
  readonly name: string;
  readonly admissionReviewVersions: readonly string[];
  readonly clientConfig: {
    readonly service: {
      readonly namespace: string;
      readonly name: string;
      readonly path: string;
      readonly port: number;
    };
  };
  /** Never Fail: the cluster must keep working whatever happens to the webhook. */
  readonly failurePolicy: "Ignore";
  readonly matchConditions?: readonly NamedExpression[];
  readonly matchPolicy: "Equivalent";
  readonly namespaceSelector: Selector;
  readonly objectSelector: Selector;
  readonly reinvocationPolicy?: "IfNeeded";
  readonly rules: readonly ResourceRule[];
  readonly sideEffects: "None";
  readonly timeoutSeconds: number;
}

interface EntryParts {
  readonly name: string;
  readonly path: string;
  readonly rule: ResourceRule;
  readonly namespaceSelector: Selector;
  readonly matchConditions?: readonly NamedExpression[];
  /** @default 1 */
  readonly timeoutSeconds?: number;
}

/** Entries for pods: mutating. */
export function mutatingWebhooks({ podDns }: AdmissionPlan["webhook"]): WebhookEntry[] {
  if (!podDns) return [];
  return podEntryParts(podDns).map((parts) => ({ ...entry(parts), reinvocationPolicy: "IfNeeded" }));
}

/** Entries for everything else: validating. */
export function validatingWebhooks(tasks: AdmissionPlan["webhook"]): WebhookEntry[] {
  const { namespaces, protectedObjects, placementGuard } = tasks;
  const only = (name: string): Selector => ({
    matchExpressions: [{ key: namespaceNameLabel, operator: "In", values: [name] }],
  });
  const entries: EntryParts[] = [];
  if (namespaces)
    entries.push({
      name: "namespaces",
      path: webhookPaths.namespaces,
      rule: namespaceRule(namespaces.tenancy),
      namespaceSelector: { matchExpressions: [elsewhere] },
    });
  if (protectedObjects)
    for (const each of protectedObjects.objects)
      entries.push({
        name: each.resource,
        path: webhookPaths.protectedObjects,
        rule: protectedRule(each.resource),
        namespaceSelector: only(protectedObjects.namespace),
        matchConditions: protectedConditions(each, protectedObjects.allowed),
      });
  if (placementGuard)
    entries.push({
      name: "placement",
      path: webhookPaths.placement,
      rule: {
        apiGroups: ["apps"],
        apiVersions: ["v1"],
        operations: ["CREATE", "UPDATE"],
        resources: ["deployments", "daemonsets"],
        scope: "Namespaced",
      },
      namespaceSelector: only(placementGuard.namespace),
      matchConditions: [
        { name: "dns-workload", expression: `object.metadata.name in ${celList(placementGuard.names)}` },
        // Scaling and controllers' writes do not concern it.
        {
          name: "changes-pods",
          expression: `request.operation == "CREATE" || object.spec.template != oldObject.spec.template`,
        },
      ],
    });
  return entries.map(entry);
}

/** The most names in a selector; with more, the webhook itself checks every pod's namespace. */
const mostSelectedNamespaces = 500;

function podEntryParts(podDns: PodDns): EntryParts[] {
  const { tenants, all } = podDns;
  const parts = (
    name: string,
    path: string,
    more: Selector["matchExpressions"] = [],
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

function entry(parts: EntryParts): WebhookEntry {
  const { name, path, rule, namespaceSelector, matchConditions = [], timeoutSeconds = 1 } = parts;
  return {
    name: `${name}.webhook.cluster-dns`,
    admissionReviewVersions: ["v1"],
    clientConfig: { service: { namespace, name: names.webhook, path, port: 443 } },
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
