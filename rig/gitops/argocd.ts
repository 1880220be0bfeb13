import { chmodSync, copyFileSync, mkdirSync, symlinkSync } from "node:fs";
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
import { clusterName, Fleet } from "./fleet";
import { serviceAccountConfig } from "./service-account";

const namespace = "argocd";
/** Argo CD removes it when it has compared. */
const refresh = "argocd.argoproj.io/refresh";

interface Application extends KubernetesObject {
  readonly status?: {
    readonly sync?: { readonly status: string; readonly revision?: string };
    readonly health?: { readonly status: string };
    readonly operationState?: { readonly phase: string; readonly message?: string };
    readonly conditions?: readonly { readonly message: string }[];
  };
}

/** Argo CD without its API server: application-controller, repo-server and Redis in the control plane's namespace. */
export class ArgoCd implements GitOpsController {
  readonly key = "argocd";
  readonly fleet: Fleet;

  private constructor(private readonly cluster: Cluster) {
    this.fleet = new Fleet(cluster.names.file("fleet"));
  }

  static async start(cluster: Cluster, progress: Progress): Promise<ArgoCd> {
    await buildTools(progress, ["argocd", "kustomize"]);
    const argoCd = new ArgoCd(cluster);
    await argoCd.fleet.create();
    await argoCd.install();
    await argoCd.run();
    progress("Argo CD is started");
    return argoCd;
  }

  async commit(): Promise<string> {
    const revision = await this.fleet.commit();
    await this.cluster.kubectl.run(["apply", "--server-side", "-k", join(this.fleet.manifests, "gitops/argocd")]);
    await this.compare();
    return revision;
  }

  async applied(revision: string, seconds = 180): Promise<void> {
    let last = "";
    await until(`Argo CD to apply ${revision}`, seconds, async () => {
      const { sync, health, operationState, conditions = [] } = (await this.application())?.status ?? {};
      last = [sync?.status, sync?.revision, health?.status, operationState?.phase, operationState?.message].join(" ");
      const isDone =
        sync?.status === "Synced" &&
        sync.revision === revision &&
        health?.status === "Healthy" &&
        operationState?.phase === "Succeeded";
      if (!isDone) throw new Error([last, ...conditions.map(({ message }) => message)].join("; "));
      return true;
    });
  }

  async remove(): Promise<void> {
    await this.cluster.kubectl.delete("application", `cluster-dns-${clusterName}`, namespace);
  }

  /** Has it take every object of these kinds of apps/v1 for healthy. */
  async takeForHealthy(...kinds: readonly string[]): Promise<void> {
    const healthy = 'return { status = "Healthy" }';
    const data = Object.fromEntries(kinds.map((kind) => [`resource.customizations.health.apps_${kind}`, healthy]));
    const patch = JSON.stringify({ data });
    await this.cluster.kubectl.run(["patch", "configmap", "-n", namespace, "argocd-cm", "--type=merge", "-p", patch]);
  }

  /** Has it compare by dry runs on the API server, or by itself, and do so anew. */
  async compareOnServer(isOnServer: boolean): Promise<void> {
    const option = `argocd.argoproj.io/compare-options=ServerSideDiff=${isOnServer}`;
    const anew = `${refresh}=hard`;
    await this.cluster.kubectl.run(["annotate", "application", "-n", namespace, "--all", "--overwrite", option, anew]);
  }

  /** The application once it has been compared; undefined while that is asked for. */
  async comparedAnew(): Promise<Application | undefined> {
    const application = await this.application();
    return application?.metadata.annotations?.[refresh] === undefined ? application : undefined;
  }

  application(): Promise<Application | undefined> {
    return this.cluster.kubectl.get<Application>("application", `cluster-dns-${clusterName}`, namespace);
  }

  private async compare(): Promise<void> {
    const anew = `${refresh}=normal`;
    await this.cluster.kubectl.run(["annotate", "application", "-n", namespace, "--all", "--overwrite", anew]);
  }

  /** What its own manifests install for the application-controller. */
  private async install(): Promise<void> {
    const { kubectl } = this.cluster;
    const source = await this.source();
    const crds = ["application", "appproject", "applicationset"].map((name) => `manifests/crds/${name}-crd.yaml`);
    await createCrds(
      kubectl,
      crds.map((file) => join(source, file)),
    );
    await kubectl.apply([namespaceObject(namespace)]);
    for (const folder of ["base/config", "base/application-controller-roles", "cluster-rbac/application-controller"])
      await kubectl.run(["apply", "-n", namespace, "-k", join(source, "manifests", folder)]);
    const secret = JSON.stringify({ stringData: { "server.secretkey": "only-a-test" } });
    await kubectl.run(["patch", "secret", "-n", namespace, "argocd-secret", "--type=merge", "-p", secret]);
  }

  private async run(): Promise<void> {
    const { controlPlane, names } = this.cluster;
    const account = "argocd-application-controller";
    const kubeconfig = await serviceAccountConfig(this.cluster, namespace, account);
    const folder = names.file("argocd");
    for (const part of ["home", "tls", "ssh", "gpg/keys", "gpg/source", "plugins", "bin"])
      mkdirSync(join(folder, part), { recursive: true });
    symlinkSync(tool("kustomize", "kustomize"), join(folder, "bin/kustomize"));
    symlinkSync(tool("argocd", "cmd"), join(folder, "bin/argocd-git-ask-pass"));
    const wrapper = join(folder, "bin/git-verify-wrapper.sh");
    copyFileSync(join(await this.source(), "hack/git-verify-wrapper.sh"), wrapper);
    chmodSync(wrapper, 0o755); // modules hold no executables
    const env = {
      PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
      HOME: join(folder, "home"),
      TMPDIR: folder,
      KUBECONFIG: kubeconfig,
      ARGOCD_FAKE_IN_CLUSTER: "true",
      ARGOCD_GPG_ENABLED: "false",
      ARGOCD_SYNC_WAVE_DELAY: "0",
      ARGOCD_TLS_DATA_PATH: join(folder, "tls"),
      ARGOCD_SSH_DATA_PATH: join(folder, "ssh"),
      ARGOCD_GNUPGHOME: join(folder, "gpg/keys"),
      ARGOCD_GPG_DATA_PATH: join(folder, "gpg/source"),
      ARGOCD_PLUGINSOCKFILEPATH: join(folder, "plugins"),
    };
    const redis = "127.0.0.1:6379";
    const repoServer = "127.0.0.1:8081";
    const start = (component: string, ...flags: readonly string[]) =>
      controlPlane.start(component, [tool("argocd", "cmd"), `--redis=${redis}`, "--logformat=text", ...flags], {
        ...env,
        ARGOCD_BINARY_NAME: component,
      });
    controlPlane.start("redis", ["redis-server", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
    start(
      "argocd-repo-server",
      "--address=127.0.0.1",
      "--metrics-address=127.0.0.1",
      "--disable-tls",
      "--client-ca-path=", // the default is a file that must exist
    );
    start(
      account,
      `--namespace=${namespace}`,
      `--repo-server=${repoServer}`,
      "--repo-server-plaintext",
      "--app-resync=30",
      "--sync-timeout=90", // docs/gitops.md recommends one: without it, a commit that never becomes healthy holds back the next
    );
  }

  private source(): Promise<string> {
    return goModule(`github.com/argoproj/argo-cd/v3@${toolsVersion("argocd")}`);
  }
}
