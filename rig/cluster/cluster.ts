import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { bundle } from "../bundle";
import type { Progress } from "../progress";
import { buildTools } from "../tools";
import { ciliumCrds, ciliumSource } from "./cilium";
import { removeAbandoned, removeCluster } from "./cleanup";
import { apiServerOf, ControlPlane } from "./control-plane";
import { buildImages } from "./images";
import type { Kubectl, KubernetesObject } from "./kubectl";
import { Names } from "./names";
import { ClusterNode } from "./node";
import { nodeObject } from "./node-files";
import { pod as podObject, type PodProps } from "./objects";
import type { ClusterOptions } from "./options";
import { recordOwner } from "./owner";
import { Pki } from "./pki";
import { findPod, type Pod } from "./pod";
import { allowInotifyInstances } from "./inotify";
import { checkRequirements } from "./requirements";

/** Real Kubernetes in namespaces of this machine. */
export class Cluster {
  readonly names: Names;
  readonly controlPlane: ControlPlane;
  readonly nodes: readonly ClusterNode[];

  private constructor(readonly options: ClusterOptions) {
    this.names = new Names(options.name);
    this.controlPlane = new ControlPlane(this.names, options, new Pki(this.names.file("pki")));
    this.nodes = Array.from({ length: options.nodes }, (_, index) => new ClusterNode(this.names, index + 1, options));
  }

  /** Starts a cluster, after ending any existing one of the same name. */
  static async up(options: ClusterOptions, progress: Progress): Promise<Cluster> {
    await checkRequirements();
    allowInotifyInstances();
    for (const abandoned of await removeAbandoned()) progress(`removed cluster ${abandoned}, left behind by its test`);
    await buildTools(progress);
    await buildTools(progress, [apiServerOf(options), ...(options.cilium === true ? (["cilium"] as const) : [])]);
    const images = await buildImages(progress);
    const cluster = new Cluster(options);
    await removeCluster(cluster.names);
    mkdirSync(cluster.names.state, { recursive: true, mode: 0o700 });
    recordOwner(cluster.names, options.ownerPid);
    if (options.ownerPid !== undefined) cluster.watchOwner();
    try {
      await cluster.start(images, progress);
    } catch (error) {
      const { message } = error as Error; // reports of tests leave causes out
      throw new Error(`cluster ${options.name} did not start (logs: ${cluster.names.state}): ${message}`, {
        cause: error,
      });
    }
    writeFileSync(cluster.names.file("cluster.json"), JSON.stringify(options));
    return cluster;
  }

  /** The running cluster of that name. */
  static attach(name: string): Cluster {
    return new Cluster(JSON.parse(readFileSync(new Names(name).file("cluster.json"), "utf8")) as ClusterOptions);
  }

  get kubectl(): Kubectl {
    return this.controlPlane.kubectl;
  }

  node(index: number): ClusterNode {
    const node = this.nodes[index - 1];
    if (node === undefined) throw new Error(`node ${index}: this cluster has only ${this.nodes.length}`);
    return node;
  }

  /** A pod that runs on one of the nodes. */
  pod(name: string, namespace = "default"): Promise<Pod> {
    return findPod(this.kubectl, this.nodes, name, namespace);
  }

  /** The same, once it is ready. */
  async readyPod(name: string, namespace = "default"): Promise<Pod> {
    await this.kubectl.run(["wait", "-n", namespace, "--for=condition=Ready", `pod/${name}`, "--timeout=300s"]);
    return this.pod(name, namespace);
  }

  /** A new pod that does nothing, once it is ready. */
  async startPod(props: PodProps): Promise<Pod> {
    await this.kubectl.apply([podObject(props)]);
    return this.readyPod(props.name, props.namespace);
  }

  /** Imports an image (an archive as `docker save` writes it) on every node. */
  async importImage(archive: string): Promise<void> {
    for (const node of this.nodes) await node.importImage(archive);
  }

  async nodesReady(seconds = 180): Promise<void> {
    for (const node of this.nodes.filter(({ isOn }) => isOn))
      await node.untilUp("kubelet", seconds, async () => isReady(await this.kubectl.get("node", node.name)), {
        what: `readiness of ${node.name}`,
      });
  }

  down(): Promise<void> {
    return removeCluster(this.names);
  }

  private async start(images: readonly string[], progress: Progress): Promise<void> {
    const { controlPlane, nodes, options } = this;
    progress(`starting cluster ${options.name}: ${what(options)}`);
    await controlPlane.createConfiguration();
    await Promise.all(nodes.map((node) => node.createConfiguration(new Pki(this.names.file("pki")))));
    await controlPlane.startApi();
    await Promise.all([...nodes.map((node) => node.boot(images)), controlPlane.apiReady()]);
    if (options.apiServerOnly !== undefined) return controlPlane.hasSystemNamespace();
    progress("API server and containerd are up");
    controlPlane.startOutsideDns();
    if (nodes.length > 0) await this.kubectl.apply(nodes.map((node) => nodeObject(node.index, options.ipFamilies)));
    controlPlane.startControllers();
    if (options.cilium === true) await this.kubectl.apply(ciliumCrds(await ciliumSource()));
    await this.nodesReady();
    await controlPlane.hasDefaults();
    progress("nodes are ready");
  }

  /** Ends the cluster if its owner dies without doing so. */
  private watchOwner(): void {
    const program = bundle("rig/cluster/watcher.ts");
    const watcher = spawn(process.execPath, [program, this.names.cluster], {
      detached: true,
      stdio: "ignore",
      cwd: "/",
    });
    writeFileSync(this.names.file("watcher.pid"), String(watcher.pid));
    watcher.unref();
  }
}

function what({ apiServerOnly, proxyMode, ipFamilies, nodes, cilium }: ClusterOptions): string {
  return apiServerOnly === undefined
    ? `${nodes} nodes, ${cilium === true ? "Cilium" : `kube-proxy in ${proxyMode} mode`}, ${ipFamilies}`
    : `only the API server of Kubernetes ${apiServerOnly}`;
}

function isReady(node: KubernetesObject | undefined): boolean {
  const { conditions = [] } = (node?.["status"] ?? {}) as { conditions?: readonly { type: string; status: string }[] };
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}
