import { contentOf, endOfRefusal } from "../protected-objects";
import type { AllowedRequesters, ProtectedNames, ProtectedObjects } from "../protected-objects";
import { policyName } from "../../object-names";
import { celList, celString } from "./cel";
import { ruleFor, namespaceNameLabel, validatingPolicy } from "./policy";
import type { NamedExpression, PolicyObject, ResourceRule } from "./policy";

/** `refuseChange` as policies, one per resource: Kubernetes 1.30. */
export function protectedObjectPolicies({ namespace, objects, allowed }: ProtectedObjects): PolicyObject[] {
  return objects.flatMap((names) => {
    const { fields, prefixes } = contentOf[names.resource];
    return validatingPolicy({
      name: policyName(names.resource),
      rule: protectedRule(names.resource),
      namespaceSelector: { matchLabels: { [namespaceNameLabel]: namespace } },
      matchConditions: protectedConditions(names, allowed),
      variables: prefixes.length > 0 ? metadataVariables(prefixes) : [],
      validations: [
        {
          expression: [
            'request.operation == "UPDATE"',
            ...fields.map(isUnchanged),
            ...(prefixes.length > 0 ? [metadataIsUnchanged] : []),
          ].join(" && "),
          messageExpression: message(names.resource, namespace, allowed),
        },
      ],
    });
  });
}

/** What the policy and the webhook are asked about. Labels of Services can also be written through their status. */
export function protectedRule(resource: ProtectedNames["resource"]): ResourceRule {
  return ruleFor(["UPDATE", "DELETE"], resource === "services" ? ["services", "services/status"] : [resource]);
}

// The old object's name: a request that deletes a whole collection has none.
const name = "oldObject.metadata.name";

/** Which changes may be refused; also decides whether the API server asks the webhook. */
export function protectedConditions(names: ProtectedNames, allowed: AllowedRequesters): NamedExpression[] {
  return [
    { name: "protected", expression: isProtected(names) },
    { name: "not-allowed", expression: isNotAllowed(allowed) },
  ];
}

function isProtected({ names, prefixes }: ProtectedNames): string {
  return [`${name} in ${celList(names)}`, ...prefixes.map((prefix) => `${name}.startsWith(${celString(prefix)})`)].join(
    " || ",
  );
}

export function isNotAllowed({ users, groups }: AllowedRequesters): string {
  const isNoUser = `!(request.userInfo.username in ${celList(users)})`;
  const isOfNoGroup = `!(has(request.userInfo.groups) && request.userInfo.groups.exists(g, g in ${celList(groups)}))`;
  return groups.length > 0 ? `${isNoUser} && ${isOfNoGroup}` : isNoUser;
}

function isUnchanged(field: string): string {
  return `(has(object.${field}) ? has(oldObject.${field}) && object.${field} == oldObject.${field} : !has(oldObject.${field}))`;
}

/** `metadataContent`: the keys that count as content, with their values, as a list of strings. */
function metadataVariables(prefixes: readonly string[]): NamedExpression[] {
  const content = (object: string) => {
    const list = (field: string) => {
      const path = `${object}.metadata.${field}`;
      const isContent = prefixes.map((prefix) => `k.startsWith(${celString(prefix)})`).join(" || ");
      return `(has(${path}) ? ${path}.filter(k, ${isContent}).map(k, ${celString(`${field}/`)} + k + "=" + ${path}[k]) : [])`;
    };
    return `${list("labels")} + ${list("annotations")}`;
  };
  return [
    { name: "content", expression: content("object") },
    { name: "oldContent", expression: content("oldObject") },
  ];
}

const metadataIsUnchanged =
  "variables.content.all(one, one in variables.oldContent) && variables.oldContent.all(one, one in variables.content)";

function message(resource: string, namespace: string, allowed: AllowedRequesters): string {
  return `request.operation + ${celString(` of ${resource} ${namespace}/`)} + ${name} + " by " + request.userInfo.username + ${celString(endOfRefusal(allowed))}`;
}
