import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "../bundle";
import type { Cluster } from "../cluster/cluster";
import type { KubernetesObject } from "../cluster/kubectl";
import { namespaceObject } from "../cluster/objects";
import { goModule } from "../go-module";
import type { Progress } from "../progress";
import { imageServer } from "../registries";
import { buildTools, tool, toolsModule } from "../tools";
import { until } from "../until";
import type { GitOpsController } from "./controller";
import { createCrds } from "../cluster/crds";
import { Fleet } from "./fleet";
import { serviceAccountConfig } from "../cluster/service-account";

const namespace = "flux-system";
const account = "kustomize-controller";
const gitServer = "127.0.0.1:9418";
const registry = "127.0.0.1:5000";
const archives = "127.0.0.1:9090";
const kustomizations = "kustomizations.kustomize.toolkit.fluxcd.io";

/** Where the rig's registry has `dist/` as an artifact. */
export const fleetArtifact = `${registry}/fleet`;

interface Conditioned extends KubernetesObject {
  readonly status?: {
    readonly lastAppliedRevision?: string;
    readonly lastHandledReconcileAt?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
  };
}

/** A repository as `flux bootstrap` names it, or an artifact with nothing but `dist/`. */
const sources = { GitRepository: "flux-system", OCIRepository: "fleet" } as const;
type SourceKind = keyof typeof sources;

/** Flux's source-controller and kustomize-controller, with a Git server and a registry, in the control plane's namespace. */
export class Flux implements GitOpsController {
  readonly key = "flux";
  readonly user = `system:serviceaccount:${namespace}:${account}`;
  readonly fleet: Fleet;

  private constructor(
    private readonly cluster: Cluster,
    private readonly source: SourceKind,
  ) {
    this.fleet = new Fleet(cluster.names.file("fleet"));
  }

  /** Of a source other than a GitRepository, the object is a part of the first commit. */
  static async start(cluster: Cluster, progress: Progress, source: SourceKind = "GitRepository"): Promise<Flux> {
    await buildTools(progress, ["flux", "source-controller", "crane"]);
    const flux = new Flux(cluster, source);
    await flux.fleet.create();
    await flux.install();
    await flux.run();
    progress("Flux is started");
    return flux;
  }

  async announce(): Promise<string> {
    const revision = await this.push();
    await this.reconcile(this.source, sources[this.source]);
    return revision;
  }

  async commit(): Promise<string> {
    const apply = (file: string) => {
      const path = join(this.fleet.manifests, "gitops/flux", file);
      return this.cluster.kubectl.run(["apply", "--server-side", "--force-conflicts", "-f", path]);
    };
    if (this.source === "OCIRepository") await apply("ocirepository-fleet.yaml");
    const revision = await this.announce();
    await apply("kustomization-cluster-dns.yaml");
    return revision;
  }

  async applied(revision: string, seconds = 240): Promise<void> {
    const isApplied = async () => {
      const all = await this.kustomizations();
      const late = all.filter(
        ({ metadata, status }) =>
          metadata["deletionTimestamp"] !== undefined ||
          status?.lastAppliedRevision !== revision ||
          !isReady({ status }),
      );
      // the first one makes the others
      if (all.length < 2) throw new Error("there are no Kustomizations yet");
      if (late.length > 0) throw new Error(late.map(said).join("; "));
      return true;
    };
    await this.cluster.controlPlane.untilUp(account, seconds, isApplied, { what: `Flux to apply ${revision}` });
  }

  async compare(): Promise<void> {
    const requested = await this.reconcile(kustomizations, "--all");
    await until("Flux to compare", 240, async () => {
      const late = (await this.kustomizations()).filter(({ status }) => status?.lastHandledReconcileAt !== requested);
      if (late.length > 0) throw new Error(late.map(said).join("; "));
      return true;
    });
  }

  async said(): Promise<string> {
    return (await this.kustomizations()).map(said).join("\n");
  }

  async interrupt(): Promise<void> {
    await this.cluster.controlPlane.stop(account, "KILL");
    this.cluster.controlPlane.startAgain(account);
  }

  async remove(name = "cluster-dns"): Promise<void> {
    await this.cluster.kubectl.delete(kustomizations, name, namespace);
  }

  /** Waits until a Kustomization is applied. */
  async ready(name: string): Promise<void> {
    await until(`Flux to apply ${name}`, 120, async () => {
      const found = await this.cluster.kubectl.get<Conditioned>(kustomizations, name, namespace);
      if (found && isReady(found)) return true;
      throw new Error(found ? said(found) : "it does not exist");
    });
  }

  /** Commits, and pushes the artifact if that is the source. Returns what Flux calls the revision. */
  private async push(): Promise<string> {
    const commit = await this.fleet.commit();
    if (this.source === "GitRepository") return `main@sha1:${commit}`;
    const { controlPlane, names } = this.cluster;
    const archive = names.file("dist.tar.gz");
    await this.fleet.git("archive", "--format=tar.gz", `--output=${archive}`, `${commit}:dist`);
    const append = [tool("crane", "crane"), "append", "--new_layer", archive, "--new_tag", `${fleetArtifact}:latest`];
    const [, digest = ""] = (await controlPlane.exec(append)).trim().split("@");
    return `latest@${digest}`;
  }

  /** As `flux reconcile` does, or a webhook. Returns what its status says once it was done. */
  private async reconcile(kind: string, name: string): Promise<string> {
    const requested = `${Date.now()}`;
    const anew = `reconcile.fluxcd.io/requestedAt=${requested}`;
    // As Flux documents it: what kubectl's own manager sets, the Kustomization above takes away again.
    const manager = "--field-manager=flux-client-side-apply";
    await this.cluster.kubectl.run(["annotate", kind, "-n", namespace, name, "--overwrite", manager, anew]);
    return requested;
  }

  private kustomizations(): Promise<Conditioned[]> {
    return this.cluster.kubectl.list<Conditioned>(kustomizations, namespace);
  }

  private async install(): Promise<void> {
    const { kubectl } = this.cluster;
    const folders = await Promise.all((["flux", "source-controller"] as const).map(toolsModule).map(goModule));
    await createCrds(
      kubectl,
      folders.map((folder) => join(folder, "config/crd/bases")),
    );
    await kubectl.apply([
      namespaceObject(namespace),
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace } },
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "flux-cluster-admin" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ kind: "ServiceAccount", name: account, namespace }],
      },
      {
        apiVersion: "source.toolkit.fluxcd.io/v1",
        kind: "GitRepository",
        metadata: { name: namespace, namespace },
        spec: { interval: "10m", url: `http://${gitServer}/.git`, ref: { branch: "main" } },
      },
    ]);
  }

  private async run(): Promise<void> {
    const { controlPlane, names } = this.cluster;
    const [, gitPort = ""] = gitServer.split(":");
    controlPlane.start("git-server", [
      process.execPath,
      bundle("rig/gitops/git-server.ts"),
      gitPort,
      this.fleet.folder,
    ]);
    for (const folder of ["registry", "archives"]) mkdirSync(names.file(folder));
    controlPlane.start("registry", imageServer(registry, names.file("registry")));
    const kubeconfig = await serviceAccountConfig(this.cluster, namespace, account);
    const env = { KUBECONFIG: kubeconfig, RUNTIME_NAMESPACE: namespace };
    controlPlane.start(
      "source-controller",
      [
        tool("source-controller", "source-controller"),
        `--storage-path=${names.file("archives")}`,
        `--storage-addr=${archives}`,
        `--storage-adv-addr=${archives}`,
        "--metrics-addr=127.0.0.1:9081",
        "--health-addr=127.0.0.1:9441",
      ],
      env,
    );
    controlPlane.start(
      account,
      [
        tool("flux", "kustomize-controller"),
        "--metrics-addr=127.0.0.1:9080",
        "--health-addr=127.0.0.1:9440",
        "--requeue-dependency=2s",
        "--feature-gates=CancelHealthCheckOnNewRevision=true",
      ],
      env,
    );
  }
}

function isReady({ status }: Pick<Conditioned, "status">): boolean {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

function said({ metadata, status }: Conditioned): string {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return `${metadata.name} ${status?.lastAppliedRevision ?? "has applied nothing"}: ${ready?.message ?? "no condition"}`;
}
