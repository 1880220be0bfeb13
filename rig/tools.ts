import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { locked } from "./locked";
import type { Progress } from "./progress";
import { cacheFolder, repositoryRoot } from "./repository";
import { run } from "./run";

/** A module under `rig/tools/` whose `tool` lines name programs to build. */
interface GoTools {
  /** The module whose version keys the build. */
  readonly module: string;
  /** Their names for `go install`. */
  readonly programs: readonly string[];
  readonly tags?: string;
  /** Only runc needs C, for libseccomp; everything else is static, so that it runs in an otherwise empty image. */
  readonly cgo?: boolean;
  /** Programs that are a package's compiled tests, and that package. */
  readonly tests?: Readonly<Record<string, string>>;
}

const goTools = {
  cni: { module: "github.com/containernetworking/plugins", programs: ["bridge", "host-local", "loopback", "portmap"] },
  etcd: { module: "go.etcd.io/etcd/server/v3", programs: ["server"] },
  runc: { module: "github.com/opencontainers/runc", programs: ["runc"], tags: "seccomp", cgo: true },
  coredns: { module: "github.com/coredns/coredns", programs: ["coredns"] },
  containerd: {
    module: "github.com/containerd/containerd/v2",
    programs: ["containerd", "containerd-shim-runc-v2", "ctr"],
    tags: "no_btrfs,no_devmapper,no_zfs,no_aufs",
  },
  kubernetes: {
    module: "k8s.io/kubernetes",
    programs: [
      "kube-apiserver",
      "kube-controller-manager",
      "kube-proxy",
      "kube-scheduler",
      "kubeadm",
      "kubectl",
      "kubelet",
    ],
  },
  "kubernetes-1.35": { module: "k8s.io/kubernetes", programs: ["kube-apiserver"] },
  // its own tests, and what their pods run
  "kubernetes-suite": {
    module: "k8s.io/kubernetes",
    programs: ["agnhost", "ginkgo"],
    tests: { "e2e.test": "k8s.io/kubernetes/test/e2e" },
  },
  // ours: an API server's validation without one
  "kubernetes-validation": { module: "k8s.io/kubernetes", programs: ["kubernetes-validation"] },
  crane: { module: "github.com/google/go-containerregistry", programs: ["crane"] },
  // all of its components in one program
  argocd: { module: "github.com/argoproj/argo-cd/v3", programs: ["cmd"] },
  flux: { module: "github.com/fluxcd/kustomize-controller", programs: ["kustomize-controller"] },
  "source-controller": { module: "github.com/fluxcd/source-controller", programs: ["source-controller"] },
  // ours, of its controllers
  "cert-manager": { module: "github.com/cert-manager/cert-manager", programs: ["cert-manager"] },
  prometheus: {
    module: "github.com/prometheus/prometheus",
    programs: ["prometheus", "promtool"],
    tags: "remove_all_sd,enable_kubernetes_sd", // without the clouds' libraries, which are most of it
  },
  // nodes without machines
  kwok: { module: "sigs.k8s.io/kwok", programs: ["kwok"] },
  cilium: { module: "github.com/cilium/cilium", programs: ["daemon", "cilium-cni"] },
  kustomize: { module: "sigs.k8s.io/kustomize/kustomize/v5", programs: ["kustomize"] },
  // what bench/beside measures
  helm: { module: "helm.sh/helm/v4", programs: ["helm"] },
  jsonnet: { module: "github.com/google/go-jsonnet", programs: ["jsonnet"] },
  cue: { module: "cuelang.org/go", programs: ["cue"] },
} satisfies Readonly<Record<string, GoTools>>;

export type GoToolsName = keyof typeof goTools;

/** What every cluster runs; the others are built when a test needs them. */
const ofEveryCluster: readonly GoToolsName[] = ["cni", "etcd", "runc", "coredns", "containerd", "kubernetes"];

/** The path of a built program. */
export function tool(name: GoToolsName, program: string): string {
  return join(toolsFolder(name), program);
}

export function toolsFolder(name: GoToolsName): string {
  return join(cacheFolder, "tools", `${name.replace(/-[\d.]+$/, "")}-${toolsVersion(name)}`);
}

/** The module that its programs are of, `PATH@VERSION`, for what else that publishes. */
export function toolsModule(name: GoToolsName): string {
  return `${goTools[name].module}@${toolsVersion(name)}`;
}

/** The version that its `go.mod` requires. */
export function toolsVersion(name: GoToolsName): string {
  const { module } = goTools[name];
  const goMod = readFileSync(join(moduleFolder(name), "go.mod"), "utf8");
  const version = goMod
    .split("\n")
    .map((line) =>
      line
        .trim()
        .replace(/^require /, "")
        .split(" "),
    )
    .find(([path]) => path === module)?.[1];
  if (version === undefined) throw new Error(`${moduleFolder(name)}/go.mod does not require ${module}`);
  return version;
}

/** Builds what any test of the suite runs. */
export function buildAllTools(progress: Progress): Promise<void> {
  return buildTools(progress, [...ofEveryCluster, "kubernetes-1.35", "crane", "prometheus"]);
}

/** Builds what is missing, each once, however many test files need it at the same time. */
export async function buildTools(progress: Progress, names: readonly GoToolsName[] = ofEveryCluster): Promise<void> {
  for (const name of names) {
    if (isBuilt(name)) continue;
    mkdirSync(join(cacheFolder, "tools"), { recursive: true });
    await locked(`${toolsFolder(name)}.lock`, async () => {
      if (isBuilt(name)) return;
      progress(
        `building ${name} ${toolsVersion(name)} (on two cores, kubernetes takes about 10 minutes, its suite, argocd, cilium, flux and prometheus 5, the others up to 2)`,
      );
      await build(name, goTools[name]);
    });
  }
}

function isBuilt(name: GoToolsName): boolean {
  const { programs, tests = {} }: GoTools = goTools[name];
  return [...programs, ...Object.keys(tests)].every((program) => existsSync(tool(name, program)));
}

/** Builds elsewhere and moves the result into place: an interrupted build never looks finished. */
async function build(name: GoToolsName, { module, tags, cgo = false, tests = {} }: GoTools): Promise<void> {
  const folder = toolsFolder(name);
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const linked = ["-s", "-w", ...(module === "k8s.io/kubernetes" ? kubernetesVersion(toolsVersion(name)) : [])];
    const how = [
      "-trimpath",
      "-buildvcs=false",
      `-ldflags=${linked.join(" ")}`,
      ...(tags === undefined ? [] : [`-tags=${tags}`]),
    ];
    const commands = [
      ["go", "install", ...how, "tool"],
      ...Object.entries(tests).map(([file, tested]) => [
        "go",
        "test",
        "-c",
        "-vet=off",
        ...how,
        "-o",
        join(unfinished, file),
        tested,
      ]),
    ];
    for (const command of commands)
      await run(command, {
        cwd: moduleFolder(name),
        env: { GOBIN: unfinished, CGO_ENABLED: cgo ? "1" : "0" },
        timeoutSeconds: 3000,
      });
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** What `kubectl version` and a Node's status show; releases set it when linking. */
function kubernetesVersion(version: string): string[] {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(version) ?? [];
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return Object.entries(values).map(([name, value]) => `-X=k8s.io/component-base/version.${name}=${value}`);
}

/** The program that holds a pod's namespaces: Kubernetes' own, from its module. */
export async function buildPause(progress: Progress): Promise<string> {
  const program = join(cacheFolder, "tools", `pause-${toolsVersion("kubernetes")}`, "pause");
  if (existsSync(program)) return program;
  progress("building pause");
  const described = await run(["go", "mod", "download", "-json", "k8s.io/kubernetes"], {
    cwd: moduleFolder("kubernetes"),
    timeoutSeconds: 600,
  });
  const { Dir: source } = JSON.parse(described) as { Dir: string };
  mkdirSync(join(program, ".."), { recursive: true });
  await run([
    "gcc",
    "-Os",
    "-static",
    "-DVERSION=e2e",
    "-o",
    `${program}.unfinished`,
    join(source, "build/pause/linux/pause.c"),
  ]);
  renameSync(`${program}.unfinished`, program);
  return program;
}

function moduleFolder(name: GoToolsName): string {
  return join(repositoryRoot, "rig/tools", name);
}
