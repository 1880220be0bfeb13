import { describe, expect, it } from "vitest";
import { kinds } from "../../../src/constructs/kinds";
import { fullGitOps } from "../../../src/model/full-props/fill-in";
import { applierOf, manifestsFolder } from "../../../src/model/gitops/objects";
import type { RenderedFolders } from "../../../src/model/gitops/rendered-folders";
import type { FluxOptions, GitOpsOptions } from "../../../src/model/props/gitops";

const folders = {
  cluster: "prod",
  components: ["authoritative-dns", "node-local-dns", "watchdog"],
  namespaces: ["kube-system"],
  replicas: { count: 3, isAutoscaled: false },
  seconds: {},
};
const autoscaled = { ...folders, replicas: { count: 2, isAutoscaled: true } };
const repoURL = "https://git.example/fleet.git";

it("without a controller there is nothing for one", () => expect(applierOf(undefined).objects(folders)).toEqual({}));

function objectsFor(options: GitOpsOptions, rendered: RenderedFolders) {
  return applierOf(fullGitOps(options)).objects(rendered);
}

it.each<[what: string, options: GitOpsOptions | undefined, folder: string]>([
  ["by default", { argocd: { repoURL } }, "dist/prod"],
  ["as the controller is told", { flux: { folder: "./out/dns/" } }, "out/dns/prod"],
  ["for an artifact that is made from that folder", { flux: { folder: "." } }, "build/prod"],
  ["without a controller", undefined, "build/prod"],
])("a repository has the manifests in one folder, %s", (_, options, folder) => {
  expect(manifestsFolder(options && fullGitOps(options), "prod", "build")).toBe(folder);
});

/** The specs of a project and of an application. */
const argoOf = (rendered: RenderedFolders) =>
  (objectsFor({ argocd: { repoURL } }, rendered)["gitops/argocd"] ?? []).map(({ spec }) => spec);

it("Argo CD gets leave to apply every cluster-scoped kind, even one that no component of this cluster has", () => {
  const allowed = (argoOf(folders)[0]?.["clusterResourceWhitelist"] ?? []) as readonly { group: string }[];
  const needed = Object.values(kinds).filter(({ isClusterScoped }) => isClusterScoped);
  const groups = new Set(needed.map(({ apiVersion }) => apiVersion.split("/")[0]));
  expect([...groups].sort()).toEqual(allowed.map(({ group }) => group).sort());
});

it("Argo CD has a number of pods even before it knows of the autoscaler, and then applies the one that is there", () => {
  const [fixed, scaled, none] = [folders, autoscaled, { ...folders, replicas: undefined }].map(
    (each) => argoOf(each)[1],
  );
  const patched = (value: number) => {
    const target = { kind: "Deployment", name: "coredns", annotationSelector: "cdk8s-cluster-dns/replicas=autoscaler" };
    return { kustomize: { patches: [{ target, patch: `[{"op":"add","path":"/spec/replicas","value":${value}}]` }] } };
  };
  expect(fixed).not.toHaveProperty("ignoreDifferences");
  expect(fixed?.["source"]).toMatchObject(patched(3));
  expect(scaled).toMatchObject({
    source: patched(2),
    ignoreDifferences: [{ group: "apps", kind: "Deployment", name: "coredns", jsonPointers: ["/spec/replicas"] }],
    syncPolicy: { syncOptions: ["ServerSideApply=true", "RespectIgnoreDifferences=true"] },
  });
  expect(none?.["source"]).not.toHaveProperty("kustomize");
});

describe("Flux gets", () => {
  const objects = (flux: FluxOptions = {}, rendered: RenderedFolders = folders) =>
    objectsFor({ flux }, rendered)["gitops/flux"] ?? [];

  it("smoke test and monitoring side by side: a red test keeps back no alerts, a missing operator no test", () => {
    const components = ["authoritative-dns", "webhook", "smoke-test", "monitoring"];
    const last = objects({}, { ...folders, components }).slice(-2);
    expect(last.map(({ metadata, spec }) => [metadata.name, spec?.["dependsOn"]])).toEqual([
      ["cluster-dns-smoke-test", [{ name: "cluster-dns-webhook" }]],
      ["cluster-dns-monitoring", [{ name: "cluster-dns-webhook" }]],
    ]);
  });

  const waits = { 90: "3m", 180: "3m", 181: "181s", 660: "660s" };
  it.each(Object.entries(waits))(
    "a component that may take %s s: the health check waits for %s",
    (seconds, timeout) => {
      const [, ...each] = objects({}, { ...folders, seconds: { watchdog: Number(seconds) } });
      expect(each.map(({ spec }) => spec?.["timeout"])).toEqual(["3m", "3m", timeout]);
    },
  );

  it("its source if a URL is given", () => {
    const [git] = objects({ source: { name: "fleet", url: "https://git.example/fleet", secretRef: "git" } });
    expect(git).toMatchSnapshot();
  });
});
