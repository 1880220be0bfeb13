import { describe, expect, it } from "vitest";
import { kinds } from "../../../src/constructs/kinds";
import { gitOpsObjects } from "../../../src/model/gitops/objects";
import type { FluxOptions } from "../../../src/model/props/gitops";

const folders = { cluster: "prod", components: ["authoritative-dns", "node-local-dns", "watchdog"] };
const repoURL = "https://git.example/fleet.git";

it("without a controller there is nothing for one", () => {
  expect(gitOpsObjects(undefined, folders)).toEqual({});
});

describe("Argo CD gets", () => {
  const [project, application] = gitOpsObjects({ argocd: { repoURL } }, folders)["gitops/argocd"] ?? [];

  it("a project that may read one repository and write to one cluster's kube-system", () => {
    expect(project).toMatchObject({
      kind: "AppProject",
      metadata: { name: "cluster-dns-prod", namespace: "argocd" },
      spec: {
        sourceRepos: [repoURL],
        destinations: [{ server: "https://kubernetes.default.svc", namespace: "kube-system" }],
      },
    });
  });

  it("leave to apply every cluster-scoped kind, even one that no component of this cluster has", () => {
    const allowed = (project?.spec["clusterResourceWhitelist"] ?? []) as readonly { group: string }[];
    const needed = Object.values(kinds).flatMap(({ isClusterScoped, apiVersion }) =>
      isClusterScoped ? [apiVersion.split("/")[0]] : [],
    );
    expect([...new Set(needed)].sort()).toEqual(allowed.map(({ group }) => group).sort());
  });

  // With its finalizer, the end of an application is the end of DNS.
  it("an application without a finalizer", () => {
    expect(application?.kind).toBe("Application");
    expect(application?.metadata).toEqual({ name: "cluster-dns-prod", namespace: "argocd" });
  });

  it("retries of the newest commit, so that a broken one does not hold back the one that mends it", () => {
    expect(application?.spec).toMatchObject({
      project: "cluster-dns-prod",
      source: { repoURL, targetRevision: "HEAD", path: "dist/prod" },
      syncPolicy: {
        automated: { prune: true, selfHeal: true },
        syncOptions: ["ServerSideApply=true"],
        retry: { limit: -1, refresh: true },
      },
    });
  });
});

describe("Flux gets", () => {
  const objects = (flux: FluxOptions = {}) => gitOpsObjects({ flux }, folders)["gitops/flux"] ?? [];
  const specOf = (name: string, flux?: FluxOptions) =>
    objects(flux).find(({ kind, metadata }) => kind === "Kustomization" && metadata.name === name)?.spec;

  it("a Kustomization for each component, each once the one before is healthy", () => {
    const parts = objects().filter(({ metadata: { name } }) => name !== "cluster-dns");
    expect(parts.map(({ metadata, spec }) => [metadata.name, spec["path"], spec["dependsOn"], spec["wait"]])).toEqual([
      ["cluster-dns-authoritative-dns", "./dist/prod/authoritative-dns", undefined, true],
      ["cluster-dns-node-local-dns", "./dist/prod/node-local-dns", [{ name: "cluster-dns-authoritative-dns" }], true],
      ["cluster-dns-watchdog", "./dist/prod/watchdog", [{ name: "cluster-dns-node-local-dns" }], true],
    ]);
  });

  it("one that prunes the Kustomization of a component that is gone, and deletes nothing with its own end", () => {
    expect(specOf("cluster-dns")).toMatchObject({
      path: "./dist/prod/gitops/flux",
      prune: true,
      deletionPolicy: "Orphan",
      sourceRef: { kind: "GitRepository", name: "flux-system" },
    });
  });

  it("health checks that end, and are tried again before the usual interval", () => {
    expect(specOf("cluster-dns-watchdog")).toMatchObject({ interval: "10m", retryInterval: "30s", timeout: "3m" });
  });

  it("its source if a URL is given: a branch of a repository, or an artifact that is the output folder itself", () => {
    const git = objects({ source: { name: "fleet", url: "https://git.example/fleet", secretRef: "git" } });
    expect(git[0]).toEqual({
      apiVersion: "source.toolkit.fluxcd.io/v1",
      kind: "GitRepository",
      metadata: {
        name: "fleet",
        namespace: "flux-system",
        annotations: { "kustomize.toolkit.fluxcd.io/prune": "disabled" },
      },
      spec: {
        interval: "1m",
        url: "https://git.example/fleet",
        ref: { branch: "main" },
        secretRef: { name: "git" },
      },
    });
    const oci = {
      source: { kind: "OCIRepository", name: "dns", url: "oci://registry.example/dns", ref: "stable" },
      folder: ".",
    } as const;
    expect(objects(oci)[0]).toMatchObject({ kind: "OCIRepository", spec: { ref: { tag: "stable" } } });
    expect(specOf("cluster-dns-authoritative-dns", oci)).toMatchObject({ deletionPolicy: "Orphan" });
    expect(specOf("cluster-dns-watchdog", oci)).not.toHaveProperty("deletionPolicy");
    expect(specOf("cluster-dns-watchdog", oci)?.["path"]).toBe("./prod/watchdog");
  });
});
