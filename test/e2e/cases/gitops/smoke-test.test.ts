import { beforeAll, describe, expect, it, onTestFailed } from "vitest";
import type { Cluster } from "../../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { ArgoCd, type Application } from "../../../../rig/gitops/argocd";
import type { GitOpsController } from "../../../../rig/gitops/controller";
import { Flux, fleetArtifact } from "../../../../rig/gitops/flux";
import { consoleProgress, type Progress } from "../../../../rig/progress";
import { until } from "../../../../rig/until";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import type { FluxOptions } from "../../../../src/model/props/gitops";
import { smokeTestJobs, smokeTestReports } from "../../lib/smoke-test";
import { useCluster } from "../../lib/use-cluster";
import { facts } from "../../lib/usual";

interface Kustomization extends KubernetesObject {
  readonly status?: {
    readonly lastAttemptedRevision?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
  };
}

/** As docs/gitops.md has it: the output folder is the artifact's root. */
const ociRepository: FluxOptions = {
  folder: ".",
  source: { kind: "OCIRepository", name: "fleet", url: `oci://${fleetArtifact}` },
};

describe.each<[string, (cluster: Cluster, progress: Progress) => Promise<GitOpsController>]>([
  ["Argo CD", (cluster, progress) => ArgoCd.start(cluster, progress)],
  ["Flux with an OCIRepository", (cluster, progress) => Flux.start(cluster, progress, "OCIRepository")],
])("%s", (name, start) => {
  const cluster = useCluster({ nodes: 1 });
  let controller: GitOpsController;

  beforeAll(async () => {
    controller = await start(cluster(), consoleProgress());
  });

  it("finds a rollout healthy once all names have their answers", async () => {
    const revision = await commit({});
    await controller.applied(revision);
    expect(await jobs()).toHaveLength(2);
  });

  it("is red within a minute of the tested pods' health when a rollout breaks names", async () => {
    const before = await jobs();
    // Kubelets know nothing of it: pods' short names do not resolve any more, and no pod is unhealthy.
    const revision = await commit({ clusterDomain: "other.local" });
    const started = await until("new Jobs", 240, async () => {
      const added = (await jobs()).filter(({ metadata }) => !before.some((old) => old.metadata.uid === metadata.uid));
      return added.length === 2 && Math.min(...added.map(created));
    });
    const said = await until(`${name} to be red`, 120, async () => {
      const red = controller.key === "flux" ? await fluxIsRed(revision) : await argoCdIsRed();
      return red.isRed && red.said;
    });
    const seconds = (Date.now() - started) / 1000;
    console.log(`${name}: red ${seconds} s after the Jobs' creation: ${said}`);
    expect(seconds).toBeLessThan(60);
  });

  it("is green again with the commit that mends it, and leaves no Job of the ones before", async () => {
    onTestFailed(async () => console.log(await smokeTestReports(cluster())));
    const revision = await commit({});
    await controller.applied(revision, 240);
    await until("the end of older Jobs", 60, async () => (await jobs()).length <= 2);
    const ofThisCommit = await jobs();
    expect(ofThisCommit).toHaveLength(2);
    const apps = "k8s-app in (kube-dns, node-local-dns, node-local-dns-watchdog)";
    const pods = await cluster().kubectl.list("pods", "kube-system", apps);
    expect(pods).toHaveLength(4);
    const sooner = pods.filter((pod) => ofThisCommit.every((job) => created(pod) <= created(job)));
    expect(names(sooner), "pods from before the Jobs").toEqual(names(pods));
  });

  async function commit(edit: Partial<ClusterDnsProps>): Promise<string> {
    controller.fleet.synth({
      ...facts,
      smokeTest: true,
      gitops: controller.key === "flux" ? { flux: ociRepository } : { argocd: { repoURL: controller.fleet.url } },
      ...edit,
    });
    return controller.commit();
  }

  /** In whole seconds. */
  const created = ({ metadata }: KubernetesObject) => Date.parse(String(metadata["creationTimestamp"]));

  const names = (objects: readonly KubernetesObject[]) => objects.map(({ metadata }) => metadata.name);
  const jobs = () => smokeTestJobs(cluster().kubectl);

  async function argoCdIsRed(): Promise<{ isRed: boolean; said: string }> {
    const [application] = await cluster().kubectl.list<Application>("applications.argoproj.io", "argocd");
    const { health, resources = [] } = application?.status ?? {};
    const degraded = resources.filter((each) => each.health?.status === "Degraded").map((each) => each.name);
    return { isRed: health?.status === "Degraded", said: degraded.join(" ") };
  }

  async function fluxIsRed(revision: string): Promise<{ isRed: boolean; said: string }> {
    const kustomization = await cluster().kubectl.get<Kustomization>(
      "kustomizations.kustomize.toolkit.fluxcd.io",
      "cluster-dns-smoke-test",
      "flux-system",
    );
    const { conditions = [], lastAttemptedRevision = "" } = kustomization?.status ?? {};
    const ready = conditions.find(({ type }) => type === "Ready");
    return { isRed: lastAttemptedRevision === revision && ready?.status === "False", said: ready?.message ?? "" };
  }
});
