import type { LabelSelector } from "../../kubernetes/kinds";

/** An object of admissionregistration.k8s.io/v1, as a value. */
export interface PolicyObject {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind:
    | "ValidatingAdmissionPolicy"
    | "ValidatingAdmissionPolicyBinding"
    | "MutatingAdmissionPolicy"
    | "MutatingAdmissionPolicyBinding";
  readonly metadata: { readonly name: string };
  readonly spec: object;
}

export interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

export interface ResourceRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly ("CREATE" | "UPDATE" | "DELETE")[];
  readonly resources: readonly string[];
  readonly scope: "Cluster" | "Namespaced";
}

/** @param group By default the API group without a name. */
export function ruleFor(
  operations: ResourceRule["operations"],
  resources: ResourceRule["resources"],
  scope: ResourceRule["scope"] = "Namespaced",
  group = "",
): ResourceRule {
  return { apiGroups: [group], apiVersions: ["v1"], operations, resources, scope };
}

/** A label that every namespace has and nobody can change. */
export const namespaceNameLabel = "kubernetes.io/metadata.name";

/** `matchConstraints` with the API server's defaults filled in. */
export function matchConstraints(rule: ResourceRule, namespaceSelector: LabelSelector = {}): object {
  return { matchPolicy: "Equivalent", namespaceSelector, objectSelector: {}, resourceRules: [rule] };
}

export interface ValidatingPolicy {
  readonly name: string;
  readonly rule: ResourceRule;
  readonly namespaceSelector?: LabelSelector;
  readonly matchConditions?: readonly NamedExpression[];
  readonly variables?: readonly NamedExpression[];
  readonly validations: readonly {
    readonly expression: string;
    readonly messageExpression: string;
    /** @default Forbidden */
    readonly reason?: "Invalid";
  }[];
  /** Whether it lets everything through, and reports; otherwise it denies, also where it fails. */
  readonly onlyReports?: true;
}

/** A policy, and the binding that activates it. */
export function withBinding(
  kind: "ValidatingAdmissionPolicy" | "MutatingAdmissionPolicy",
  name: string,
  spec: object,
  ofBinding: object | undefined,
): [policy: PolicyObject, binding: PolicyObject] {
  const object = { apiVersion: "admissionregistration.k8s.io/v1", metadata: { name } } as const;
  return [
    { ...object, kind, spec },
    { ...object, kind: `${kind}Binding`, spec: { policyName: name, ...ofBinding } },
  ];
}

export function validatingPolicy(policy: ValidatingPolicy): ReturnType<typeof withBinding> {
  const { name, rule, namespaceSelector, matchConditions = [], variables = [], validations, onlyReports } = policy;
  const spec = {
    failurePolicy: onlyReports ? "Ignore" : "Fail",
    matchConstraints: matchConstraints(rule, namespaceSelector),
    ...(matchConditions.length > 0 ? { matchConditions } : {}),
    ...(variables.length > 0 ? { variables } : {}),
    validations: validations.map(({ reason = "Forbidden", ...each }) => ({ ...each, reason })),
  };
  const validationActions = onlyReports ? ["Audit", "Warn"] : ["Deny"];
  return withBinding("ValidatingAdmissionPolicy", name, spec, { validationActions });
}
