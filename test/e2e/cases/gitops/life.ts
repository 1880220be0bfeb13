import { beforeAll, expect } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import { agentImage } from "../../../../rig/cluster/agent-image";
import type { Cluster } from "../../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { ledToReadyPods } from "../../../../rig/cluster/led-to-pods";
import type { Pod } from "../../../../rig/cluster/pod";
import { tool, buildPause } from "../../../../rig/tools";
import type { GitOpsController } from "../../../../rig/gitops/controller";
import { load } from "../../../../rig/load/load";
import type { LoadReport } from "../../../../rig/load/report";
import { consoleProgress, type Progress } from "../../../../rig/progress";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { untilTerminated } from "../../lib/gitops";
import { useCluster } from "../../lib/use-cluster";
import { autoscalerImage } from "../../lib/program-image";
import { uncached, toldLoad } from "../../lib/usual";
import { expectLostAtMost } from "../../../expect-lost";

/** A second name of the agent's image. */
export const otherAgentImage = agentImage.replace(":e2e", ":e2e-next");

const names = ["kubernetes.default.svc.cluster.local"];

/** A cluster whose DNS a real controller applies from a repository, and a pod that asks it. */
export class Life {
  private started: { controller: GitOpsController; client: Pod } | undefined;

  private constructor(
    /** The controller's. */
    readonly name: string,
    readonly cluster: () => Cluster,
  ) {}

  /** One for a file's tests. */
  static use(name: string, start: (cluster: Cluster, progress: Progress) => Promise<GitOpsController>): Life {
    const life = new Life(name, useCluster());
    beforeAll(async () => {
      const cluster = life.cluster();
      const { nodes } = cluster;
      const tag = [tool("containerd", "ctr"), "-n", "k8s.io", "image", "tag", agentImage, otherAgentImage];
      for (const node of nodes) await node.exec(tag);
      await cluster.importImage(autoscalerImage(await buildPause(consoleProgress()))); // changes nothing
      const controller = await start(cluster, consoleProgress());
      life.started = { controller, client: await cluster.startPod({ name: "client", node: "node-1" }) };
    });
    return life;
  }

  get controller(): GitOpsController {
    return this.running.controller;
  }

  /** Renders the cluster file, without a node cache unless the edit has one. */
  synth(edit: Partial<ClusterDnsProps>): void {
    const { key, fleet } = this.controller;
    fleet.synth({
      ...uncached,
      gitops: key === "flux" ? { flux: {} } : { argocd: { repoURL: fleet.url } },
      ...edit,
    });
  }

  /** Commits an edit of the cluster file, and waits until it is applied. Returns how many seconds that took. */
  async commit(edit: Partial<ClusterDnsProps>): Promise<number> {
    this.synth(edit);
    return this.commitAll();
  }

  /** The same for whatever the repository's folder holds. */
  async commitAll(): Promise<number> {
    const start = Date.now();
    await this.controller.applied(await this.controller.commit());
    return Math.round((Date.now() - start) / 1000);
  }

  /** Asks 500 times a second, from before the change until the last of the previous pods is gone. */
  async during(what: string, change: () => Promise<unknown>): Promise<LoadReport> {
    const happens = async () => {
      await change();
      await untilTerminated(this.cluster(), "kube-system");
    };
    return toldLoad(`${this.name}, ${what}`, this.running.client, clusterDns.ipv4, happens, names);
  }

  /** How many of ten queries are lost, once the node leads to the pods that are ready. */
  async lostOfTen(): Promise<number> {
    await ledToReadyPods(this.cluster());
    return (await load(this.running.client, { server: clusterDns.ipv4, names, rate: 10, seconds: 1 })).lost;
  }

  /** An object of kube-system. */
  get<T = KubernetesObject>(kind: string, name: string): Promise<T | undefined> {
    return this.cluster().kubectl.get<T>(kind, name, "kube-system");
  }

  /** CoreDNS's Deployment is the one that it was, and stays. */
  async expectKept(before: KubernetesObject | undefined): Promise<void> {
    const after = await this.get("deployment", "coredns");
    expect([after?.metadata.uid, after?.metadata["deletionTimestamp"]]).toEqual([before?.metadata.uid, undefined]);
  }

  /** The objects of the last commit, as the cluster has them. */
  async objects(): Promise<KubernetesObject[]> {
    const read = ["get", "-k", this.controller.fleet.manifests, "-o", "json", "--ignore-not-found"];
    return (JSON.parse(await this.cluster().kubectl.run(read)) as { items: KubernetesObject[] }).items;
  }

  tell(what: string, text: string): void {
    console.log(`${this.name}, ${what}: ${text}`);
  }

  private get running(): { controller: GitOpsController; client: Pod } {
    if (this.started === undefined) throw new Error("the controller exists only within tests and hooks");
    return this.started;
  }
}

/** Commits an edit of the cluster file under load. */
export async function expectNoNewFlowLost(life: Life, what: string, edit: Partial<ClusterDnsProps>): Promise<void> {
  expectLostAtMost(await life.during(what, () => life.commit(edit)), { lostOfNewFlows: 0 });
}
