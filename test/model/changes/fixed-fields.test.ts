import { expect, it } from "vitest";
import { withFixedFields } from "../../../src/model/changes/fixed-fields";
import type { KubernetesObject } from "../../../src/model/kubernetes/object";

const object = (kind: string, fields: object): KubernetesObject => {
  return { apiVersion: "v1", kind, metadata: { name: "coredns" }, ...fields };
};

const of = (selector: string, replicas: number) => ({ spec: { selector, replicas } });

it.each<[what: string, kind: string, there: object, refused: object, shown: object]>([
  ["a selector, and nothing else", "Deployment", of("a", 2), of("b", 3), of("b", 2)],
  ["a role", "ClusterRoleBinding", { roleRef: "a", subjects: [1] }, { roleRef: "b" }, { roleRef: "b", subjects: [1] }],
  ["no address of the server's", "Service", { spec: { clusterIP: "a" } }, { spec: {} }, { spec: { clusterIP: "a" } }],
  ["nothing of other kinds", "ConfigMap", { data: { a: "1" } }, { data: { a: "2" } }, { data: { a: "1" } }],
])("what is refused is compared by its fields that cannot change: %s", (_, kind, there, refused, shown) => {
  expect(withFixedFields(object(kind, there), object(kind, refused))).toEqual(object(kind, shown));
});
