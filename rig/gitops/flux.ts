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

interface Conditioned extends KubernetesObject {
  readonly status?: {
    readonly lastAppliedRevision?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
  };
}

/** Flux's kustomize-controller. The rig does what source-controller would: an archive behind HTTP, named in a status. */
export class Flux implements GitOpsController {
  readonly key = "flux";
  readonly fleet: Fleet;
  private readonly archives: string;

  private constructor(private readonly cluster: Cluster) {
    this.fleet = new Fleet(cluster.names.file("fleet"));
    this.archives = cluster.names.file("archives");
  }

  static async start(cluster: Cluster, progress: Progress): Promise<Flux> {
    await buildTools(progress, ["flux"]);
    const flux = new Flux(cluster);
    await flux.fleet.create();
    await flux.install();
    await flux.run();
    progress("Flux is started");
    return flux;
  }

  async commit(): Promise<string> {
    const revision = await this.fleet.commit();
    await this.publish(revision);
    const entry = join(this.fleet.manifests, "gitops/flux/kustomization-cluster-dns.yaml");
    await this.cluster.kubectl.run(["apply", "--server-side", "--force-conflicts", "-f", entry]);
    return revision;
  }

  async applied(revision: string, seconds = 240): Promise<void> {
    const wanted = `main@sha1:${revision}`;
    await until(`Flux to apply ${revision}`, seconds, async () => {
      const all = await this.cluster.kubectl.list<Conditioned>("kustomizations.kustomize.toolkit.fluxcd.io", namespace);
      const late = all.filter(
        ({ metadata, status }) =>
          metadata["deletionTimestamp"] !== undefined ||
          status?.lastAppliedRevision !== wanted ||
          status.conditions?.find(({ type }) => type === "Ready")?.status !== "True",
      );
      // the first one makes the others
      if (all.length < 2) throw new Error("there are no Kustomizations yet");
      if (late.length > 0) throw new Error(late.map(said).join("; "));
      return true;
    });
  }

  async remove(): Promise<void> {
    await this.cluster.kubectl.delete("kustomizations.kustomize.toolkit.fluxcd.io", "cluster-dns", namespace);
  }

  private async install(): Promise<void> {
    const { kubectl } = this.cluster;
    const modules = [`github.com/fluxcd/kustomize-controller@${toolsVersion("flux")}`, sourceController];
    const sources = await Promise.all(modules.map(goModule));
    await createCrds(
      kubectl,
      sources.map((source) => join(source, "config/crd/bases")),
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

  private async publish(revision: string): Promise<void> {
    const name = `${revision}.tar.gz`;
    const file = join(this.archives, name);
    await this.fleet.git("archive", "--format=tar.gz", `--output=${file}`, revision);
    const now = new Date().toISOString().replace(/\.\d+/, "");
    const status = {
      observedGeneration: 1,
      artifact: {
        path: name,
        url: `http://127.0.0.1:${port}/${name}`,
        revision: `main@sha1:${revision}`,
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
    const patch = ["patch", "gitrepository", "-n", namespace, namespace, "--subresource=status", "--type=merge"];
    await this.cluster.kubectl.run([...patch, `--patch=${JSON.stringify({ status })}`]);
  }
}

function said({ metadata, status }: Conditioned): string {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return `${metadata.name} ${status?.lastAppliedRevision ?? "has applied nothing"}: ${ready?.message ?? "no condition"}`;
}
