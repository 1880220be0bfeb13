import type { LocalApiServer } from "./local-api-server";

interface AdmissionObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const plurals: { readonly [kind: string]: string } = {
  ValidatingAdmissionPolicy: "validatingadmissionpolicies",
  ValidatingAdmissionPolicyBinding: "validatingadmissionpolicybindings",
  MutatingAdmissionPolicy: "mutatingadmissionpolicies",
  MutatingAdmissionPolicyBinding: "mutatingadmissionpolicybindings",
  ValidatingWebhookConfiguration: "validatingwebhookconfigurations",
  MutatingWebhookConfiguration: "mutatingwebhookconfigurations",
};

export function admissionPath({ apiVersion, kind, metadata: { name } }: AdmissionObject): string {
  return `/apis/${apiVersion}/${plurals[kind]}/${name}`;
}

/** Applies them twice: the second time nothing may change. */
export async function applyAdmission(api: LocalApiServer, objects: readonly AdmissionObject[]): Promise<void> {
  for (const object of objects) {
    const first = await api.apply(admissionPath(object), object);
    const second = await api.apply(admissionPath(object), object);
    const versions = [first, second].map(({ metadata }) => (metadata as { resourceVersion: string }).resourceVersion);
    if (versions[0] !== versions[1]) throw new Error(`a second apply changes ${object.kind} ${object.metadata.name}`);
  }
}

/** Everybody may do everything, so that what is refused is refused by admission. */
export async function allowEverybody(api: LocalApiServer): Promise<void> {
  await api.must("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "everybody" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:authenticated" }],
  });
}
