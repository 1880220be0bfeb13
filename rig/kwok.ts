import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ended, type LocalApiServer } from "./admission/local-api-server";
import { freePort } from "./free-port";
import { consoleProgress } from "./progress";
import { buildTools, tool } from "./tools";

/** How long a pod takes until it is ready, and until it is gone. */
export interface PodSeconds {
  readonly start: number;
  readonly stop: number;
}

/** Some probes, and the cache's `lameduck` with what a kubelet takes besides. */
const usualPodSeconds: PodSeconds = { start: 4, stop: 10 };

/** Of a node that KWOK keeps alive. Real leases of 40 seconds, renewed every 10, would be all that 5,000 nodes do. */
const leaseSeconds = 3600;

const controllers = ["daemonset", "deployment", "replicaset", "endpointslice", "nodelifecycle"];

/**
 * The scheduler and the controllers of a cluster beside its API server, and KWOK, which says of nodes and pods what
 * kubelets would. Nothing of a pod runs.
 */
export class FakeCluster {
  private readonly folder = mkdtempSync(join(tmpdir(), "cluster-dns-kwok-"));
  private readonly programs = new Map<string, ChildProcess>();

  private constructor(private readonly api: LocalApiServer) {}

  static async start(api: LocalApiServer, podSeconds = usualPodSeconds): Promise<FakeCluster> {
    await buildTools(consoleProgress(), ["kubernetes", "kwok"]);
    const cluster = new FakeCluster(api);
    await cluster.startControllers(1000);
    await cluster.run("kube-scheduler", tool("kubernetes", "kube-scheduler"), await cluster.asComponent(1000));
    const stages = join(cluster.folder, "stages.yaml");
    writeFileSync(
      stages,
      [podStarts(podSeconds.start), podStops(podSeconds.stop), nodeReports]
        .map((each) => JSON.stringify(each))
        .join("\n---\n"),
    );
    await cluster.run("kwok", tool("kwok", "kwok"), [
      `--kubeconfig=${api.files.kubeconfig}`,
      `--config=${stages}`,
      "--manage-all-nodes=true",
      "--cidr=10.128.0.0/9",
      `--server-address=127.0.0.1:${await freePort()}`,
      `--node-lease-duration-seconds=${leaseSeconds}`,
    ]);
    return cluster;
  }

  /** Those that ran before end. Each controller sends so many requests a second; kube-controller-manager's default is 20. */
  async startControllers(requestsPerSecond: number): Promise<void> {
    await this.run("kube-controller-manager", tool("kubernetes", "kube-controller-manager"), [
      ...(await this.asComponent(requestsPerSecond)),
      "--use-service-account-credentials=false",
      `--controllers=${controllers.join(",")}`,
      `--node-monitor-grace-period=${2 * leaseSeconds}s`,
    ]);
  }

  private async asComponent(requestsPerSecond: number): Promise<string[]> {
    const { kubeconfig } = this.api.files;
    return [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${await freePort()}`,
      "--leader-elect=false",
      `--kube-api-qps=${requestsPerSecond}`,
      `--kube-api-burst=${requestsPerSecond * 1.5}`,
    ];
  }

  private async run(name: string, program: string, args: readonly string[]): Promise<void> {
    const before = this.programs.get(name);
    if (before) await ended(before);
    const log = openSync(this.log(name), "a");
    this.programs.set(name, spawn(program, args, { stdio: ["ignore", log, log] }));
  }

  private log(name: string): string {
    return join(this.folder, `${name}.log`);
  }

  /** Whether none has ended. */
  get isWhole(): boolean {
    return [...this.programs.values()].every(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  }

  /** How the logs of all end. */
  logs(): string {
    return [...this.programs.keys()].map((name) => readFileSync(this.log(name), "utf8").slice(-2000)).join("\n\n");
  }

  async stop(): Promise<void> {
    for (const each of this.programs.values()) await ended(each);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * With as many images as a kubelet reports: these are most of a node's size. A connection to its address, a multicast
 * group, fails at once; a loopback address could not be an endpoint.
 */
export function fakeNode(i: number) {
  const images = Array.from({ length: 50 }, (_, j) => ({
    names: [`registry.example/image-${j}@sha256:${"0".repeat(64)}`, `registry.example/image-${j}:v1.${i}`],
    sizeBytes: 100_000_000 + j,
  }));
  const now = new Date().toISOString().replace(/\.\d+/, "");
  const allocatable = { cpu: "8", memory: "32Gi", pods: "110" };
  return {
    metadata: { name: `node-${i}`, labels: { "kubernetes.io/os": "linux", "kubernetes.io/hostname": `node-${i}` } },
    status: {
      images,
      allocatable,
      capacity: allocatable,
      addresses: [{ type: "InternalIP", address: `239.0.${i >> 8}.${i & 255}` }],
      conditions: [
        { type: "Ready", status: "True", reason: "KubeletReady", lastHeartbeatTime: now, lastTransitionTime: now },
      ],
    },
  };
}

function stage(kind: "Pod" | "Node", name: string, seconds: number, matchExpressions: object[], next: object) {
  return {
    apiVersion: "kwok.x-k8s.io/v1alpha1",
    kind: "Stage",
    metadata: { name },
    spec: {
      resourceRef: { apiGroup: "v1", kind },
      selector: { matchExpressions },
      delay: { durationMilliseconds: seconds * 1000 },
      next,
    },
  };
}

const deleted = (operator: "Exists" | "DoesNotExist") => ({ key: ".metadata.deletionTimestamp", operator });
const isPending = { key: ".status.phase", operator: "In", values: ["Pending"] };

const podStarts = (seconds: number) =>
  stage("Pod", "starts", seconds, [deleted("DoesNotExist"), isPending], {
    statusTemplate: `
{{ $now := Now }}
phase: Running
startTime: {{ $now | Quote }}
conditions:
{{ range $type := list "Initialized" "ContainersReady" "Ready" }}
- { type: {{ $type }}, status: "True", lastTransitionTime: {{ $now | Quote }} }
{{ end }}
containerStatuses:
{{ range .spec.containers }}
- { name: {{ .name | Quote }}, image: {{ .image | Quote }}, imageID: "", ready: true, started: true, restartCount: 0, state: { running: { startedAt: {{ $now | Quote }} } } }
{{ end }}
{{ with PodIPWith .spec.nodeName (or .spec.hostNetwork false) (or .metadata.uid "") (or .metadata.name "") (or .metadata.namespace "") }}
podIP: {{ . | Quote }}
podIPs: [{ ip: {{ . | Quote }} }]
{{ end }}
`,
  });
const podStops = (seconds: number) => stage("Pod", "stops", seconds, [deleted("Exists")], { delete: true });
/** Without a stage of nodes, KWOK looks after none. The lease is all that the controllers look at. */
const nodeReports = stage("Node", "reports", leaseSeconds, [deleted("DoesNotExist")], {
  statusTemplate: "phase: Running",
});
