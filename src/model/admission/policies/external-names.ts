import { celString } from "./cel";
import { validatingPolicy, type PolicyObject } from "./policy";
import { policyName } from "../../object-names";

/**
 * What keeps a tenant from seeing through an alias: CoreDNS follows a Service of type ExternalName inside the cluster domain without
 * asking who asks, so whoever may make one would learn any Service's address. Aliases within a namespace stay possible.
 */
export function externalNamePolicy(domain: string): PolicyObject[] {
  return validatingPolicy({
    name: policyName("external-names"),
    rule: {
      apiGroups: [""],
      apiVersions: ["v1"],
      operations: ["CREATE", "UPDATE"],
      resources: ["services"],
      scope: "Namespaced",
    },
    variables: [
      { name: "target", expression: `${isAlias("object")} ? ${rooted("object")} : ""` },
      // One that is there already must still be changeable: who deletes it may have to take finalizers off first.
      {
        name: "before",
        expression: `request.operation == "UPDATE" && ${isAlias("oldObject")} ? ${rooted("oldObject")} : ""`,
      },
      { name: "own", expression: `"." + request.namespace + ".svc." + ${celString(`${domain}.`)}` },
    ],
    validations: [
      {
        expression: `variables.target == variables.before || !variables.target.endsWith(${celString(`.${domain}.`)}) || variables.target.endsWith(variables.own)`,
        messageExpression: `"externalName " + object.spec.externalName + " is in the cluster domain, where it would tell the address of another tenant's Service; accepted: names outside ${domain}, and those of Services in namespace " + request.namespace`,
        reason: "Forbidden",
      },
    ],
    actions: ["Deny"],
    failurePolicy: "Fail",
  });
}

function isAlias(object: string): string {
  return `${object}.spec.type == "ExternalName" && has(${object}.spec.externalName)`;
}

// With a dot at both ends, in lower case, as DNS compares names.
function rooted(object: string): string {
  const name = `${object}.spec.externalName.lowerAscii()`;
  return `"." + ${name} + (${name}.endsWith(".") ? "" : ".")`;
}
