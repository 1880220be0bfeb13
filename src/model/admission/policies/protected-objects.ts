import {
  contentFields,
  whoMay,
  type AllowedRequesters,
  type ProtectedNames,
  type ProtectedObjects,
} from "../protected-objects";
import { policyName } from "../../object-names";
import { celList, celString } from "./cel";
import { namespaceNameLabel, validatingPolicy, type PolicyObject } from "./policy";

/** `refuseChange` as policies, one a resource: Kubernetes 1.30. */
export function protectedObjectPolicies({ namespace, objects, allowed }: ProtectedObjects): PolicyObject[] {
  return objects.flatMap((names) =>
    validatingPolicy({
      name: policyName(names.resource),
      rule: {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: ["UPDATE", "DELETE"],
        resources: [names.resource],
        scope: "Namespaced",
      },
      namespaceSelector: { matchLabels: { [namespaceNameLabel]: namespace } },
      matchConditions: [
        { name: "protected", expression: isProtected(names) },
        { name: "not-allowed", expression: isNotAllowed(allowed) },
      ],
      validations: [
        {
          expression: `request.operation == "UPDATE" && ${contentFields[names.resource].map(isUnchanged).join(" && ")}`,
          messageExpression: message(names.resource, namespace, allowed),
          reason: "Forbidden",
        },
      ],
      actions: ["Deny"],
      failurePolicy: "Fail",
    }),
  );
}

// The old object's name: a request that deletes a whole collection has none.
const name = "oldObject.metadata.name";

/** Also the condition under which the API server asks the webhook. */
export function isProtected({ names, prefixes }: ProtectedNames): string {
  return [`${name} in ${celList(names)}`, ...prefixes.map((prefix) => `${name}.startsWith(${celString(prefix)})`)].join(
    " || ",
  );
}

export function isNotAllowed({ users, groups }: AllowedRequesters): string {
  const conditions = [`!(request.userInfo.username in ${celList(users)})`];
  if (groups.length > 0) {
    conditions.push(`!(has(request.userInfo.groups) && request.userInfo.groups.exists(g, g in ${celList(groups)}))`);
  }
  return conditions.join(" && ");
}

function isUnchanged(field: string): string {
  return `(has(object.${field}) ? has(oldObject.${field}) && object.${field} == oldObject.${field} : !has(oldObject.${field}))`;
}

function message(resource: string, namespace: string, allowed: AllowedRequesters): string {
  const end = ` is refused: the cluster's DNS depends on it. ${whoMay(allowed)} Change the cluster file and let your GitOps controller apply it, or add the user to admission.allowedUsers.`;
  return `request.operation + ${celString(` of ${resource} ${namespace}/`)} + ${name} + " by " + request.userInfo.username + ${celString(end)}`;
}
