import { afterAll, beforeAll } from "vitest";
import { LocalApiServer } from "../../../rig/admission/local-api-server";
import type { GoToolsName } from "../../../rig/tools";

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
