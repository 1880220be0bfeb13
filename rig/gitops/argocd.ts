import { chmodSync, copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "../cluster/cluster";
import type { KubernetesObject } from "../cluster/kubectl";
import { namespaceObject } from "../cluster/objects";
import { goModule } from "../go-module";
import type { Progress } from "../progress";
import { buildTools, tool, toolsModule } from "../tools";
import type { GitOpsController } from "./controller";
import { createCrds } from "../cluster/crds";
import { clusterName, Fleet } from "./fleet";
import { serviceAccountConfig } from "../cluster/service-account";

const namespace = "argocd";
const account = "argocd-application-controller";
const repoServer = "127.0.0.1:8081";

export interface Application extends KubernetesObject {
  readonly status?: {
    readonly sync?: { readonly status: string; readonly revision?: string };
    readonly health?: { readonly status: string };
    readonly operationState?: {
      readonly phase: string;
      readonly message?: string;
      readonly syncResult?: { readonly resources?: readonly { readonly message?: string }[] };
    };
    readonly conditions?: readonly { readonly message: string }[];
    readonly resources?: readonly {
      readonly kind: string;
      readonly name: string;
      readonly status?: string;
      readonly requiresPruning?: boolean;
      readonly health?: { readonly status: string };
    }[];
  };
}

/** Argo CD without its API server: application-controller, repo-server and Redis in the control plane's namespace. */
export class ArgoCd implements GitOpsController {
  readonly key = "argocd";
  readonly user = `system:serviceaccount:${namespace}:${account}`;
  readonly fleet: Fleet;

  private constructor(
    private readonly cluster: Cluster,
    private readonly waveDelaySeconds: number,
  ) {
    this.fleet = new Fleet(cluster.names.file("fleet"));
  }

  /**
   * @param waveDelaySeconds How long it waits after each wave of a sync before it looks at its health. By default as long
   * as Argo CD (controller/sync.go): without, it begins the next while what it knows of the last is from before.
   */
  static async start(cluster: Cluster, progress: Progress, waveDelaySeconds = 2): Promise<ArgoCd> {
    await buildTools(progress, ["argocd", "kustomize"]);
    const argoCd = new ArgoCd(cluster, waveDelaySeconds);
    await argoCd.fleet.create();
    await argoCd.install();
    await argoCd.run();
    progress("Argo CD is started");
    return argoCd;
  }

  async announce(): Promise<string> {
    const revision = await this.fleet.commit();
    await this.compare();
    return revision;
  }

  async commit(): Promise<string> {
    const revision = await this.fleet.commit();
    await this.cluster.kubectl.run(["apply", "--server-side", "-k", join(this.fleet.manifests, "gitops/argocd")]);
    await this.compare();
    return revision;
  }

  async applied(revision: string, seconds = 180): Promise<void> {
    let last = "";
    const isApplied = async () => {
      const { sync, health, operationState, conditions = [] } = (await this.application())?.status ?? {};
      last = [sync?.status, sync?.revision, health?.status, operationState?.phase, operationState?.message].join(" ");
      const isDone =
        sync?.status === "Synced" &&
        sync.revision === revision &&
        health?.status === "Healthy" &&
        operationState?.phase === "Succeeded";
      if (!isDone) throw new Error([last, ...conditions.map(({ message }) => message)].join("; "));
      return true;
    };
    await this.cluster.controlPlane.untilUp(account, seconds, isApplied, { what: `Argo CD to apply ${revision}` });
  }

  async remove(): Promise<void> {
    await this.cluster.kubectl.delete("application", `cluster-dns-${clusterName}`, namespace);
  }

  application(name = clusterName): Promise<Application | undefined> {
    return this.cluster.kubectl.get<Application>("application", `cluster-dns-${name}`, namespace);
  }

  async compare(): Promise<void> {
    const anew = "argocd.argoproj.io/refresh=normal";
    await this.cluster.kubectl.run(["annotate", "application", "-n", namespace, "--all", "--overwrite", anew]);
  }

  async said(): Promise<string> {
    const { operationState, conditions = [] } = (await this.application())?.status ?? {};
    const results = operationState?.syncResult?.resources ?? [];
    return [operationState, ...results, ...conditions].map((each) => each?.message ?? "").join("\n");
  }

  async interrupt(): Promise<void> {
    await this.cluster.controlPlane.stop(account, "KILL");
    this.cluster.controlPlane.startAgain(account);
  }

  /** Has it take workloads for healthy, for clusters without nodes. */
  async believeInHealth(): Promise<void> {
    const healthy = 'hs = {}\nhs.status = "Healthy"\nreturn hs';
    const kinds = [
      "apps_Deployment",
      "apps_DaemonSet",
      "autoscaling_HorizontalPodAutoscaler",
      "policy_PodDisruptionBudget",
    ];
    const data = Object.fromEntries(kinds.map((kind) => [`resource.customizations.health.${kind}`, healthy]));
    const patch = JSON.stringify({ data });
    await this.cluster.kubectl.run(["patch", "configmap", "-n", namespace, "argocd-cm", "--type=merge", "-p", patch]);
  }

  /** Starts what makes Applications of ApplicationSets, with the rights that its own manifests give it. */
  async startApplicationSets(): Promise<void> {
    const component = "argocd-applicationset-controller";
    const manifests = join(await this.source(), "manifests/base/applicationset-controller");
    for (const part of ["sa", "role", "rolebinding"])
      await this.cluster.kubectl.run(["apply", "-n", namespace, "-f", join(manifests, `${component}-${part}.yaml`)]);
    const kubeconfig = await serviceAccountConfig(this.cluster, namespace, component);
    this.cluster.controlPlane.start(
      component,
      [
        tool("argocd", "cmd"),
        `--namespace=${namespace}`,
        `--argocd-repo-server=${repoServer}`,
        "--repo-server-plaintext",
        "--metrics-addr=127.0.0.1:0",
        "--probe-addr=127.0.0.1:0",
        "--webhook-addr=127.0.0.1:7000",
      ],
      { ...this.env(), KUBECONFIG: kubeconfig, NAMESPACE: namespace, ARGOCD_BINARY_NAME: component },
    );
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
    const kubeconfig = await serviceAccountConfig(this.cluster, namespace, account);
    const folder = names.file("argocd");
    for (const part of ["home", "tls", "ssh", "gpg/keys", "gpg/source", "plugins", "bin"])
      mkdirSync(join(folder, part), { recursive: true });
    symlinkSync(tool("kustomize", "kustomize"), join(folder, "bin/kustomize"));
    symlinkSync(tool("argocd", "cmd"), join(folder, "bin/argocd-git-ask-pass"));
    const wrapper = join(folder, "bin/git-verify-wrapper.sh");
    copyFileSync(join(await this.source(), "hack/git-verify-wrapper.sh"), wrapper);
    chmodSync(wrapper, 0o755); // modules hold no executables
    const env = { ...this.env(), KUBECONFIG: kubeconfig };
    const redis = "127.0.0.1:6379";
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
      "--revision-cache-expiration=1s", // 3 minutes by default, or until a webhook tells of a commit
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

  private env(): { readonly [name: string]: string } {
    const folder = this.cluster.names.file("argocd");
    return {
      PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
      HOME: join(folder, "home"),
      TMPDIR: folder,
      ARGOCD_FAKE_IN_CLUSTER: "true",
      ARGOCD_GPG_ENABLED: "false",
      ARGOCD_SYNC_WAVE_DELAY: String(this.waveDelaySeconds),
      ARGOCD_TLS_DATA_PATH: join(folder, "tls"),
      ARGOCD_SSH_DATA_PATH: join(folder, "ssh"),
      ARGOCD_GNUPGHOME: join(folder, "gpg/keys"),
      ARGOCD_GPG_DATA_PATH: join(folder, "gpg/source"),
      ARGOCD_PLUGINSOCKFILEPATH: join(folder, "plugins"),
    };
  }

  private source(): Promise<string> {
    return goModule(toolsModule("argocd"));
  }
}
