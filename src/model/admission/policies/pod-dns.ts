import type { LabelSelector } from "../../kubernetes/kinds";
import { beyondLabels, type Tenancy } from "../../tenancy/membership";
import { searchList, tenantNdots, withinCluster } from "../../tenancy/pod-dns-config";
import type { PodDnsOption, PodDnsRules } from "../../tenancy/pod-dns-config";
import { mirrorAnnotation, optInAnnotation, osLabel, type PodDns } from "../pod-dns";
import type { PodOptions } from "../pod-options";
import { untouchedNamespaces } from "../tenant-dns";
import { names, namespace, policyName } from "../../object-names";
import { celList, celString } from "./cel";
import { ruleFor, matchConstraints, namespaceNameLabel, validatingPolicy, withBinding } from "./policy";
import type { NamedExpression, PolicyObject } from "./policy";

/** The requests that the API server passes to the policies, and to the webhook. */
export const podRule = ruleFor(["CREATE"], ["pods"]);

/** All namespaces but the cluster's own, including the webhook's. */
export const elsewhere = { key: namespaceNameLabel, operator: "NotIn", values: untouchedNamespaces } as const;

export function podNamespaceSelector({ tenants, all }: PodDns): NonNullable<LabelSelector["matchExpressions"]> {
  const excluded = tenants ? [] : (all?.excludedNamespaces ?? []);
  return [{ ...elsewhere, values: [...untouchedNamespaces, ...excluded] }];
}

/** Which pods may get something; also decides whether the API server asks the webhook. */
export function podCondition({ tenants, all }: PodDns): NamedExpression {
  return tenants ? takesTenantDns(tenants.tenancy) : { name: "takes-options", expression: takesOptions(all) };
}

/** `decidePodDns` as a policy: Kubernetes 1.36. */
export function podDnsPolicy(podDns: PodDns): PolicyObject[] {
  const { tenants, all } = podDns;
  const variables = tenants && [
    ...memberVariables(tenants.tenancy),
    ...dnsVariables(tenants),
    ...(all ? [{ name: "takesOptions", expression: `${isNotExcluded(all)} && ${takesOptions(all)}` }] : []),
  ];
  const spec = {
    // An unknown tenant is no reason to keep pods from starting; the audit policy reports it.
    failurePolicy: "Ignore",
    reinvocationPolicy: "IfNeeded",
    matchConstraints: matchConstraints(podRule, { matchExpressions: podNamespaceSelector(podDns) }),
    matchConditions: [podCondition(podDns)],
    ...(tenants && paramKind(tenants.tenancy)),
    ...(variables && { variables }),
    mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: patches(podDns) } }],
  };
  return withBinding("MutatingAdmissionPolicy", policyName("pod-dns"), spec, tenants && paramRef(tenants.tenancy));
}

function patches({ tenants, all }: PodDns): string {
  const ofPod = own("options");
  const more = (all?.options ?? []).map((each) => unless(ofPod, each));
  const forAll = `[${setDnsConfig(own("nameservers"), own("searches"), [copied(ofPod), ...more])}]`;
  if (!tenants) return forAll;
  const { nameservers, searches, options } = merged(tenants);
  const besideNdots = (all?.options ?? []).filter(({ name }) => name !== "ndots").map((each) => unless(ofPod, each));
  const forTenant = setDnsConfig(nameservers, searches, [
    unless(options, { name: "ndots", value: String(tenantNdots) }),
    copied(options),
    ...(besideNdots.length > 0 ? [`(variables.takesOptions ? ${besideNdots.join(" + ")} : [])`] : []),
  ]);
  return `variables.tenant == "" ? ${all ? `(variables.takesOptions ? ${forAll} : [])` : "[]"} : [
  JSONPatch{op: "add", path: "/spec/dnsPolicy", value: "None"},
  ${forTenant}
]`;
}

function setDnsConfig(nameservers: string, searches: string, options: readonly string[]): string {
  return `JSONPatch{op: "add", path: "/spec/dnsConfig", value: Object.spec.dnsConfig{
    nameservers: ${nameservers},
    searches: ${searches},
    options: ${options.join("\n      + ")}
  }}`;
}

const option = "Object.spec.dnsConfig.options";

/** An option, in a list, if others do not have its name. */
function unless(others: string, { name, value }: PodDnsOption): string {
  const fields = [`name: ${celString(name)}`, ...(value === undefined ? [] : [`value: ${celString(value)}`])];
  return `(${others}.exists(one, ${isNamed(name)}) ? [] : [${option}{${fields.join(", ")}}])`;
}

function copied(options: string): string {
  return `${options}.map(one, has(one.value) ? ${option}{name: one.name, value: one.value} : ${option}{name: one.name})`;
}

/** What of a pod's own stays, and what its lists become. */
function merged(rules: PodDnsRules) {
  const { strict } = rules.tenancy;
  const kept = (path: string, condition: string) => `${own(path)}${strict ? `.filter(one, !(${condition}))` : ""}`;
  const after = (ours: string, theirs: string) => `${ours} + ${theirs}.filter(one, !(one in ${ours}))`;
  return {
    nameservers: after("variables.nameservers", own("nameservers")),
    searches: after("variables.searches", kept("searches", `one.matches(${celString(withinCluster(rules))})`)),
    options: kept("options", isNamed("ndots")),
  };
}

const own = (path: string) =>
  `(has(object.spec.dnsConfig) && has(object.spec.dnsConfig.${path}) ? object.spec.dnsConfig.${path} : [])`;
const isNamed = (name: string) => `has(one.name) && one.name == ${celString(name)}`;

function dnsVariables(rules: PodDnsRules): NamedExpression[] {
  return [
    { name: "nameservers", expression: celList(rules.nameservers) },
    { name: "searches", expression: searchesExpression(rules) },
  ];
}

/** Pods of tenants that lack their DNS configuration: a warning, and an entry in the audit log. Kubernetes 1.30. */
export function podDnsAuditPolicy(rules: PodDnsRules): PolicyObject[] {
  const { tenancy } = rules;
  const [policy, binding] = validatingPolicy({
    name: policyName("pod-dns-audit"),
    rule: podRule,
    namespaceSelector: { matchExpressions: [elsewhere] },
    matchConditions: [takesTenantDns(tenancy)],
    variables: [...memberVariables(tenancy), ...(tenancy.strict ? dnsVariables(rules) : [])],
    validations: [
      {
        expression: `variables.tenant == ""${tenancy.strict ? ` || (${hasTenantDns(rules)})` : ""}`,
        messageExpression: `"this pod lacks the DNS configuration of tenant " + variables.tenant + ", and the DNS fields of a pod cannot be changed: delete the pod, and its controller will create one that has it"`,
        reason: "Invalid",
      },
    ],
    onlyReports: true,
  });
  return [
    { ...policy, spec: { ...policy.spec, ...paramKind(tenancy) } },
    { ...binding, spec: { ...binding.spec, ...paramRef(tenancy) } },
  ];
}

/** Whether the policy above would leave a pod as it is. */
function hasTenantDns(rules: PodDnsRules): string {
  const { nameservers, searches } = merged(rules);
  return [
    `${policy} == "None"`,
    `${own("nameservers")} == ${nameservers}`,
    `${own("searches")} == ${searches}`,
    `${own("options")}.filter(one, ${isNamed("ndots")}).map(one, has(one.value) ? one.value : "") == ["${tenantNdots}"]`,
  ].join(" && ");
}

const annotation = (key: string) =>
  `has(object.metadata.annotations) && ${celString(key)} in object.metadata.annotations`;
const optsIn = `${annotation(optInAnnotation)} && object.metadata.annotations[${celString(optInAnnotation)}] == "true"`;
const policy = `(has(object.spec.dnsPolicy) ? object.spec.dnsPolicy : "ClusterFirst")`;
const onHostNetwork = "has(object.spec.hostNetwork) && object.spec.hostNetwork";

/** `takesTenantDns` of `decidePodDns`. */
function takesTenantDns({ strict }: Tenancy): NamedExpression {
  const unlessItsOwn = [
    `${policy} != "None"`,
    `(${policy} == "ClusterFirstWithHostNet" || (${optsIn}) || !(${policy} == "Default" || (${onHostNetwork})))`,
  ];
  const all = [`!(${annotation(mirrorAnnotation)})`, ...(strict ? [] : unlessItsOwn)];
  return { name: "takes-tenant-dns", expression: all.join(" && ") };
}

/** `optionsFor` of `decidePodDns`, but for the namespace; and whether the pod lacks one. */
function takesOptions({ options }: PodOptions): string {
  const selector = "object.spec.nodeSelector";
  const label = celString(osLabel);
  return [
    `!(${annotation(mirrorAnnotation)})`,
    `(${policy} == "ClusterFirstWithHostNet" || (${policy} == "ClusterFirst" && !(${onHostNetwork})))`,
    `!(has(object.spec.os) && object.spec.os.name == "windows")`,
    `!(has(${selector}) && ${label} in ${selector} && ${selector}[${label}] == "windows")`,
    `!${celList(options.map(({ name }) => name))}.all(name, ${own("options")}.exists(one, has(one.name) && one.name == name))`,
  ].join(" && ");
}

function isNotExcluded({ excludedNamespaces }: PodOptions): string {
  return `!(${ofNamespace} in ${celList(excludedNamespaces)})`;
}

/**
 * The namespaces of each tenant, for a ConfigMap, because an expression cannot hold thousands; undefined if none are
 * listed. The keys are tenants, not namespaces: server-side apply records the owner of every key, and with tens of
 * thousands the object would be too large to store.
 */
export function tenantsData({ membership, tenants }: Tenancy): { [tenant: string]: string } | undefined {
  if (membership !== "listed") return undefined;
  return Object.fromEntries(tenants.map(({ name, namespaces = [] }) => [name, namespaces.join(" ")]));
}

function paramKind(tenancy: Tenancy): object {
  return tenantsData(tenancy) ? { paramKind: { apiVersion: "v1", kind: "ConfigMap" } } : {};
}

function paramRef(tenancy: Tenancy): object {
  if (!tenantsData(tenancy)) return {};
  return { paramRef: { name: names.tenants, namespace, parameterNotFoundAction: "Allow" } };
}

const ofNamespace = "namespaceObject.metadata.name";

/** Variables `tenant` (empty if there is none) and `member` (the namespace as it appears in its tenant's names). */
function memberVariables(tenancy: Tenancy): NamedExpression[] {
  const { systemTenant: system } = tenancy;
  const tenant = tenantExpression(tenancy);
  const withSystem = system
    ? `${ofNamespace} in ${celList(system.namespaces)} ? ${celString(system.name)} : (${tenant})`
    : tenant;
  const isPrefixed =
    tenancy.membership === "prefix" &&
    `variables.tenant != ""${system ? ` && variables.tenant != ${celString(system.name)}` : ""}`;
  return [
    { name: "tenant", expression: withSystem },
    {
      name: "member",
      expression: isPrefixed
        ? `${isPrefixed} ? ${ofNamespace}.substring(size(variables.tenant) + 1) : ${ofNamespace}`
        : ofNamespace,
    },
  ];
}

function tenantExpression({ membership, namespaceLabel = "", tenants }: Tenancy): string {
  const all = celList(tenants.map(({ name }) => name));
  const labels = "namespaceObject.metadata.labels";
  switch (membership) {
    case "prefix":
      return `(${all}.filter(t, ${ofNamespace}.startsWith(t + "-") && size(${ofNamespace}) > size(t) + 1) + [""])[0]`;
    case "label": {
      const key = celString(namespaceLabel);
      const value = `${labels}[${key}]`;
      const isLabelled = `has(${labels}) && ${key} in ${labels} && ${value} in ${all}`;
      return `${isLabelled} && !(${ofNamespace} in ${celList(beyondLabels)}) ? ${value} : ""`;
    }
    case "listed":
      return `has(params.data) ? (params.data.filter(t, ${ofNamespace} in params.data[t].split(" ")) + [""])[0] : ""`;
  }
}

/** The search list as an expression: the list that we document, with variables in place of tenant and namespace. */
function searchesExpression({ tenancy, clusterDomain }: PodDnsRules): string {
  const places = { "\u0001": "variables.tenant", "\u0002": "variables.member" };
  const list = searchList(tenancy, { tenant: "\u0001", namespace: "\u0002" }, clusterDomain);
  const expression = (search: string) =>
    search
      .split(/([\u0001\u0002])/)
      .filter((part) => part !== "")
      .map((part) => (part in places ? places[part as keyof typeof places] : celString(part)))
      .join(" + ");
  return `[${list.map(expression).join(", ")}]`;
}
