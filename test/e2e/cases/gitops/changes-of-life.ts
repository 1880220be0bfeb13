import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import { agentImage, importAgentImage } from "../../../../rig/cluster/agent-image";
import type { Cluster } from "../../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { pod } from "../../../../rig/cluster/objects";
import type { Pod } from "../../../../rig/cluster/pod";
import type { GitOpsController } from "../../../../rig/gitops/controller";
import { load } from "../../../../rig/load/load";
import type { LoadReport } from "../../../../rig/load/report";
import { loadText } from "../../../../rig/load/text";
import { consoleProgress, type Progress } from "../../../../rig/progress";
import { sleep, until } from "../../../../rig/until";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { expectLostAtMost } from "../../../expect-lost";
import { untilTerminated } from "../../lib/gitops";
import { useCluster } from "../../lib/use-cluster";
import { idleAutoscaler } from "./idle-autoscaler";

interface Workload extends KubernetesObject {
  readonly spec: { readonly replicas: number };
}

/** What a real controller makes of the commits in a cluster's life, with CoreDNS asked 500 times a second meanwhile. */
export function changesOfLife(
  name: string,
  start: (cluster: Cluster, progress: Progress) => Promise<GitOpsController>,
): void {
  const cluster = useCluster();
  let controller: GitOpsController;
  let client: Pod;

  beforeAll(async () => {
    const { kubectl } = cluster();
    await importAgentImage(cluster());
    await cluster().importImage(await idleAutoscaler());
    controller = await start(cluster(), consoleProgress());
    await kubectl.apply([pod({ name: "client", node: "node-1" })]);
    await kubectl.run(["wait", "--for=condition=Ready", "pod/client", "--timeout=60s"], { timeoutSeconds: 70 });
    client = await cluster().pod("client");
  });

  it("installs DNS on an empty cluster, and finds nothing to change afterwards", async () => {
    const seconds = await timed(() => commit({}));
    console.log(`${name}: first install after ${seconds} s`);
    const before = await versions();
    const revision = await controller.commit(); // an empty one
    await controller.applied(revision);
    expect(await versions()).toEqual(before);
  });

  describe.each(["DaemonSet", "Deployment"] as const)("changes the kind of CoreDNS to a %s", (kind) => {
    it("without losing a new flow, and leaves nothing of the other kind", async () => {
      const report = await during(() => commit({ authoritativeDNS: { kind } }));
      expectLostAtMost(report, { lostOfNewFlows: 0 });
      const left = ["daemonset", "deployment", "poddisruptionbudget"].map((each) =>
        cluster().kubectl.get(each, "coredns", "kube-system"),
      );
      const kinds = (await Promise.all(left)).flatMap((object) => object?.kind ?? []);
      expect(kinds).toEqual(kind === "DaemonSet" ? ["DaemonSet"] : ["Deployment", "PodDisruptionBudget"]);
    });
  });

  it("hands CoreDNS's replicas to the autoscaler without ever having fewer, once another manager owns them", async () => {
    await commit({ authoritativeDNS: { replicas: 2 } });
    const owned = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "coredns", namespace: "kube-system" },
      spec: { replicas: 2 },
    };
    await cluster().kubectl.run(["apply", "--server-side", "--field-manager=dns-autoscaler", "-f", "-"], {
      input: JSON.stringify(owned),
    });
    await commit({ authoritativeDNS: { autoscaler: {} } });
    expect(await ownsReplicas()).toBe(false);
    expect((await deployment())?.spec.replicas).toBe(2);
    await commit({ authoritativeDNS: { replicas: 2 } });
    expect((await deployment())?.spec.replicas).toBe(2);
  });

  it("prunes a component that left, and nothing else", async () => {
    const withAgent = { agentImage, nodeLocalDNS: {} } as const;
    await commit(withAgent);
    const before = await cluster().kubectl.get("daemonset", "node-local-dns", "kube-system");
    await commit({ ...withAgent, nodeLocalDNS: { watchdog: false } });
    await until("the watchdog's end", 60, async () => {
      const left = await cluster().kubectl.list("all,serviceaccounts,roles,rolebindings", "kube-system");
      return !left.some(({ metadata }) => metadata.name.startsWith("node-local-dns-watchdog"));
    });
    const after = await cluster().kubectl.get("daemonset", "node-local-dns", "kube-system");
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(await ask()).toBe(0);
    await commit({});
  });

  it("keeps the old pods when a Corefile does not parse, and applies the commit that mends it", async () => {
    const report = await during(async () => {
      breakCorefile();
      await controller.commit();
      await until("a pod that fails", 120, async () => {
        const pods = await cluster().kubectl.list("pods", "kube-system", "-l", "k8s-app=kube-dns");
        return pods.some(({ status }) => JSON.stringify(status).includes('"restartCount":1'));
      });
      const seconds = await timed(() => commit({}));
      console.log(`${name}: the commit that mends a broken Corefile is applied and healthy after ${seconds} s`);
    });
    expectLostAtMost(report, { lostOfNewFlows: 0 });
  });

  it("leaves DNS alone when its own object is deleted", async () => {
    const report = await during(async () => {
      await controller.remove();
      await sleep(20_000); // nothing must happen
    });
    expectLostAtMost(report, { lost: 0 });
    expect((await deployment())?.metadata["deletionTimestamp"]).toBeUndefined();
  });

  function synth(edit: Partial<ClusterDnsProps>): void {
    controller.fleet.synth({
      clusterDNS: [clusterDns.ipv4],
      kubeProxyMode: "iptables",
      gitops: controller.key === "flux" ? { flux: {} } : { argocd: { repoURL: controller.fleet.url } },
      ...edit,
    });
  }

  async function commit(edit: Partial<ClusterDnsProps>): Promise<void> {
    synth(edit);
    await controller.applied(await controller.commit());
  }

  /** A Corefile that no cluster file produces. */
  function breakCorefile(): void {
    const folder = join(controller.fleet.manifests, "authoritative-dns");
    const rename = (text: string) => text.replaceAll(/\bcoredns-[0-9a-f]{10}\b/g, "coredns-broken");
    for (const file of readdirSync(folder)) {
      const text = rename(readFileSync(join(folder, file), "utf8"));
      const isCorefile = file.startsWith("configmap-coredns-");
      writeFileSync(join(folder, rename(file)), isCorefile ? text.replace("loadbalance", "no-such-plugin") : text);
    }
  }

  /** Asks from before the change until the last of the previous pods is gone. */
  async function during(change: () => Promise<void>): Promise<LoadReport> {
    await client.forgetFlows();
    const names = ["kubernetes.default.svc.cluster.local"];
    const report = await load(client, { server: clusterDns.ipv4, names }, async () => {
      await sleep(1000);
      await change();
      await untilTerminated(cluster(), "kube-system");
      await sleep(2000);
    });
    console.log(`${name}: ${loadText(report)}`);
    return report;
  }

  /** How many of ten queries are lost. */
  async function ask(): Promise<number> {
    const names = ["kubernetes.default.svc.cluster.local"];
    return (await load(client, { server: clusterDns.ipv4, names, rate: 10, seconds: 1 })).lost;
  }

  function deployment(): Promise<Workload | undefined> {
    return cluster().kubectl.get<Workload>("deployment", "coredns", "kube-system");
  }

  /** Whether the controller still says how many pods there are. */
  async function ownsReplicas(): Promise<boolean> {
    const read = ["get", "deployment", "coredns", "-n", "kube-system", "-o", "json", "--show-managed-fields"];
    const printed = await cluster().kubectl.run(read);
    const { metadata } = JSON.parse(printed) as {
      metadata: { managedFields: { manager: string; fieldsV1: { "f:spec"?: object } }[] };
    };
    return metadata.managedFields.some(
      ({ manager, fieldsV1 }) => manager !== "dns-autoscaler" && "f:replicas" in (fieldsV1["f:spec"] ?? {}),
    );
  }

  /** Of everything of ours. */
  async function versions(): Promise<string[]> {
    const kinds = "deployments,services,configmaps,poddisruptionbudgets,serviceaccounts";
    const objects = await cluster().kubectl.list(kinds, "kube-system", "-l", "app.kubernetes.io/part-of=cluster-dns");
    return objects.map(
      ({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.generation ?? metadata.resourceVersion}`,
    );
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = Date.now();
  await work();
  return Math.round((Date.now() - start) / 1000);
}
