import { celString } from "./cel";
import { ruleFor, validatingPolicy, type PolicyObject } from "./policy";
import { policyName } from "../../object-names";

/**
 * Keeps a tenant from looking through an alias: CoreDNS resolves a Service of type ExternalName inside the cluster
 * domain without checking who asks, so anybody who may create one could learn any Service's address. Aliases within a
 * namespace stay possible.
 */
export function externalNamePolicy(domain: string): PolicyObject[] {
  return validatingPolicy({
    name: policyName("external-names"),
    rule: ruleFor(["CREATE", "UPDATE"], ["services"]),
    variables: [
      { name: "target", expression: `${isAlias("object")} ? ${rooted("object")} : ""` },
      // An existing one must remain changeable: deleting it may require removing finalizers first.
      {
        name: "before",
        expression: `request.operation == "UPDATE" && ${isAlias("oldObject")} ? ${rooted("oldObject")} : ""`,
      },
      { name: "own", expression: `"." + request.namespace + ".svc." + ${celString(`${domain}.`)}` },
    ],
    validations: [
      {
        expression: `variables.target == variables.before || !variables.target.endsWith(${celString(`.${domain}.`)}) || variables.target.endsWith(variables.own)`,
        messageExpression: `"externalName " + object.spec.externalName + " is in the cluster domain, where it would reveal the address of another tenant's Service; accepted: names outside ${domain}, and those of Services in namespace " + request.namespace`,
      },
    ],
  });
}

function isAlias(object: string): string {
  return `${object}.spec.type == "ExternalName" && has(${object}.spec.externalName)`;
}

// With a dot at both ends and in lower case, as DNS compares names.
function rooted(object: string): string {
  const name = `${object}.spec.externalName.lowerAscii()`;
  return `"." + ${name} + (${name}.endsWith(".") ? "" : ".")`;
}
