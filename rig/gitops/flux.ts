import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "../cluster/cluster";
import type { KubernetesObject } from "../cluster/kubectl";
import { namespaceObject } from "../cluster/objects";
import { goModule } from "../go-module";
import type { Progress } from "../progress";
import { buildTools, tool, toolsVersion } from "../tools";
import { until } from "../until";
import type { GitOpsController } from "./controller";
import { createCrds } from "./crds";
import { Fleet } from "./fleet";
import { serviceAccountConfig } from "./service-account";

const namespace = "flux-system";
const account = "kustomize-controller";
/** Version of source-controller whose custom resources kustomize-controller reads; it cannot be built (docs/testing.md). */
const sourceController = "github.com/fluxcd/source-controller@v1.9.6";
const port = 9090;
const kustomizations = "kustomizations.kustomize.toolkit.fluxcd.io";

interface Conditioned extends KubernetesObject {
  readonly status?: {
    readonly lastAppliedRevision?: string;
    readonly lastHandledReconcileAt?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
  };
}

/** What the rig can publish: the repository as `flux bootstrap` names it, or an artifact with nothing but `dist/`. */
const sources = {
  GitRepository: { kind: "GitRepository", name: "flux-system", content: "" },
  OCIRepository: { kind: "OCIRepository", name: "fleet", content: ":dist" },
} as const;

/** Flux's kustomize-controller. The rig does what source-controller would: an archive behind HTTP, named in a status. */
export class Flux implements GitOpsController {
  readonly key = "flux";
  readonly user = `system:serviceaccount:${namespace}:${account}`;
  readonly fleet: Fleet;
  private readonly archives: string;

  private constructor(
    private readonly cluster: Cluster,
    private readonly source: (typeof sources)[keyof typeof sources],
  ) {
    this.fleet = new Fleet(cluster.names.file("fleet"));
    this.archives = cluster.names.file("archives");
  }

  /** Of a source other than a GitRepository, the object is a part of the first commit. */
  static async start(
    cluster: Cluster,
    progress: Progress,
    source: keyof typeof sources = "GitRepository",
  ): Promise<Flux> {
    await buildTools(progress, ["flux"]);
    const flux = new Flux(cluster, sources[source]);
    await flux.fleet.create();
    await flux.install();
    await flux.run();
    progress("Flux is started");
    return flux;
  }

  async announce(): Promise<string> {
    const revision = await this.fleet.commit();
    await this.publish(revision);
    return revision;
  }

  async commit(): Promise<string> {
    const apply = (file: string) => {
      const path = join(this.fleet.manifests, "gitops/flux", file);
      return this.cluster.kubectl.run(["apply", "--server-side", "--force-conflicts", "-f", path]);
    };
    const { kind, name } = this.source;
    if (kind === "OCIRepository") await apply(`ocirepository-${name}.yaml`);
    const revision = await this.announce();
    await apply("kustomization-cluster-dns.yaml");
    return revision;
  }

  async applied(revision: string, seconds = 240): Promise<void> {
    const wanted = this.revision(revision);
    await until(`Flux to apply ${revision}`, seconds, async () => {
      const all = await this.kustomizations();
      const late = all.filter(
        ({ metadata, status }) =>
          metadata["deletionTimestamp"] !== undefined || status?.lastAppliedRevision !== wanted || !isReady({ status }),
      );
      // the first one makes the others
      if (all.length < 2) throw new Error("there are no Kustomizations yet");
      if (late.length > 0) throw new Error(late.map(said).join("; "));
      return true;
    });
  }

  async compare(): Promise<void> {
    const requested = `${Date.now()}`;
    const anew = `reconcile.fluxcd.io/requestedAt=${requested}`;
    await this.cluster.kubectl.run(["annotate", kustomizations, "-n", namespace, "--all", "--overwrite", anew]);
    await until("Flux to compare", 120, async () =>
      (await this.kustomizations()).every(({ status }) => status?.lastHandledReconcileAt === requested),
    );
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

  private revision(revision: string): string {
    return this.source.kind === "OCIRepository" ? `latest@sha1:${revision}` : `main@sha1:${revision}`;
  }

  private kustomizations(): Promise<Conditioned[]> {
    return this.cluster.kubectl.list<Conditioned>(kustomizations, namespace);
  }

  private async install(): Promise<void> {
    const { kubectl } = this.cluster;
    const modules = [`github.com/fluxcd/kustomize-controller@${toolsVersion("flux")}`, sourceController];
    const folders = await Promise.all(modules.map(goModule));
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
        spec: { interval: "10m", url: "https://fleet.test/fleet", ref: { branch: "main" } },
      },
    ]);
  }

  private async run(): Promise<void> {
    const { controlPlane } = this.cluster;
    mkdirSync(this.archives, { recursive: true });
    const kubeconfig = await serviceAccountConfig(this.cluster, namespace, account);
    const server = ["python3", "-m", "http.server", "--bind=127.0.0.1", `--directory=${this.archives}`];
    controlPlane.start("archives", [...server, String(port)]);
    controlPlane.start(
      account,
      [
        tool("flux", "kustomize-controller"),
        "--metrics-addr=127.0.0.1:9080",
        "--health-addr=127.0.0.1:9440",
        "--requeue-dependency=2s",
        "--feature-gates=CancelHealthCheckOnNewRevision=true",
      ],
      { KUBECONFIG: kubeconfig, RUNTIME_NAMESPACE: namespace, TMPDIR: this.archives },
    );
  }

  /** Does what source-controller does with a commit. */
  async publish(revision: string): Promise<void> {
    const { kind, name, content } = this.source;
    const archive = `${revision}.tar.gz`;
    const file = join(this.archives, archive);
    await this.fleet.git("archive", "--format=tar.gz", `--output=${file}`, `${revision}${content}`);
    const now = new Date().toISOString().replace(/\.\d+/, "");
    const status = {
      observedGeneration: 1,
      artifact: {
        path: archive,
        url: `http://127.0.0.1:${port}/${archive}`,
        revision: this.revision(revision),
        digest: `sha256:${createHash("sha256").update(readFileSync(file)).digest("hex")}`,
        size: statSync(file).size,
        lastUpdateTime: now,
      },
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "Succeeded",
          message: "stored artifact",
          lastTransitionTime: now,
          observedGeneration: 1,
        },
      ],
    };
    const how = ["patch", kind, "-n", namespace, name, "--subresource=status", "--type=merge"];
    await this.cluster.kubectl.run([...how, `--patch=${JSON.stringify({ status })}`]);
  }
}

function isReady({ status }: Pick<Conditioned, "status">): boolean {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

function said({ metadata, status }: Conditioned): string {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return `${metadata.name} ${status?.lastAppliedRevision ?? "has applied nothing"}: ${ready?.message ?? "no condition"}`;
}
