import { afterAll, beforeAll } from "vitest";
import { LocalApiServer } from "../../../rig/admission/local-api-server";
import type { GoToolsName } from "../../../rig/tools";
import { type AppliedObject, pathOf } from "../../../rig/admission/path-of";

/** An API server for a file's tests, or those of a `describe`, there from the first `beforeAll` after this call. */
export function useApiServer(flags: readonly string[] = [], version?: GoToolsName): () => LocalApiServer {
  let api: LocalApiServer | undefined;
  beforeAll(async () => {
    api = await LocalApiServer.start(flags, version);
    await allowEverybody(api);
  });
  afterAll(() => api?.stop());
  return () => {
    if (api === undefined) throw new Error("the API server exists only within tests and hooks");
    return api;
  };
}

/** Allows everyone everything, so that only admission refuses requests. */
async function allowEverybody(api: LocalApiServer): Promise<void> {
  await api.must("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "everybody" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "people" }],
  });
}

/** Applies them twice: the second time must change nothing. */
export async function applyTwice(api: LocalApiServer, objects: readonly AppliedObject[]): Promise<void> {
  for (const object of objects) {
    const first = await api.apply(pathOf(object), object);
    const second = await api.apply(pathOf(object), object);
    const [before, after] = [first, second].map(
      ({ metadata }) => (metadata as { resourceVersion: string }).resourceVersion,
    );
    if (before !== after) throw new Error(`a second apply changes ${object.kind} ${object.metadata.name}`);
  }
}
