import { tenantNames, type Tenancy } from "../../tenancy/membership";
import { namespaceTexts, ownLabel } from "../namespaces";
import type { AllowedRequesters } from "../protected-objects";
import { policyName } from "../../object-names";
import { celList, celString } from "./cel";
import { ruleFor, validatingPolicy, type PolicyObject, type ResourceRule, type ValidatingPolicy } from "./policy";
import { isNotAllowed } from "./protected-objects";

type Validation = ValidatingPolicy["validations"][number];

/** `refuseNamespace` as a policy: Kubernetes 1.30. */
export function namespacePolicy(tenancy: Tenancy, allowed: AllowedRequesters): PolicyObject[] {
  const texts = namespaceTexts(tenancy, allowed);
  const label = ownLabel(tenancy);
  const named: Validation = {
    expression: `request.operation != "CREATE" || !(object.metadata.name in ${celList(tenantNames(tenancy))})`,
    messageExpression: `"namespace " + object.metadata.name + ${celString(texts.namedLikeTenant)}`,
  };
  return validatingPolicy({
    name: policyName("namespaces"),
    rule: namespaceRule(tenancy),
    ...(label === undefined ? { validations: [named] } : withLabel(label, tenancy, allowed, named)),
  });
}

/** What the policy and the webhook are asked about. Labels can also be written through each of these subresources. */
export function namespaceRule(tenancy: Tenancy): ResourceRule {
  // Without a label that names the tenant, only a new name can be wrong.
  return ownLabel(tenancy) === undefined
    ? ruleFor(["CREATE"], ["namespaces"], "Cluster")
    : ruleFor(["CREATE", "UPDATE"], ["namespaces", "namespaces/status", "namespaces/finalize"], "Cluster");
}

function withLabel(
  label: string,
  tenancy: Tenancy,
  allowed: AllowedRequesters,
  named: Validation,
): Pick<ValidatingPolicy, "variables" | "validations"> {
  const texts = namespaceTexts(tenancy, allowed);
  const key = celString(label);
  const has = (object: string) => `has(${object}.metadata.labels) && ${key} in ${object}.metadata.labels`;
  // CEL cannot write JSON; label values contain nothing that needs escaping.
  const got = (reason: string) =>
    `"namespace " + object.metadata.name + ${celString(`: label ${label}: "`)} + variables.value + "\\"" + ${reason}`;
  const refusal = (fits: string, reason: string): Validation => ({
    expression: `!variables.isNew || ${fits}`,
    messageExpression: got(reason),
  });
  return {
    variables: [
      { name: "has", expression: has("object") },
      { name: "value", expression: `variables.has ? object.metadata.labels[${key}] : ""` },
      { name: "had", expression: `request.operation == "UPDATE" && ${has("oldObject")}` },
      { name: "old", expression: `variables.had ? oldObject.metadata.labels[${key}] : ""` },
      { name: "changes", expression: "variables.has != variables.had || variables.value != variables.old" },
      { name: "isNew", expression: "variables.has && variables.changes" },
    ],
    validations: [
      named,
      refusal(
        `!(object.metadata.name in ["default", "kube"] || object.metadata.name.startsWith("kube-"))`,
        celString(texts.clusterNamespace),
      ),
      refusal(
        `(size(variables.value) <= 63 && variables.value.matches("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"))`,
        celString(texts.notALabel),
      ),
      refusal(
        `!(variables.value in ["svc", "pod", "all", "default", "kube"] || variables.value.startsWith("kube-"))`,
        celString(texts.reserved),
      ),
      refusal(`variables.value in ${celList(tenancy.tenants.map(({ name }) => name))}`, celString(texts.unknown)),
      {
        expression: `!(variables.had && variables.changes) || !(${isNotAllowed(allowed)})`,
        messageExpression: got(
          `${celString(texts.changed[0])} + "\\"" + variables.old + "\\"" + ${celString(texts.changed[1])}`,
        ),
      },
    ],
  };
}
