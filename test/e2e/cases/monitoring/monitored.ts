import { afterAll, beforeAll } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import { agentImage } from "../../../../rig/cluster/agent-image";
import type { Cluster } from "../../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import type { ClusterNode } from "../../../../rig/cluster/node";
import { namespaceObject, pod } from "../../../../rig/cluster/objects";
import { startPodsThatAsk } from "../../../../rig/load/pods-that-ask";
import { deployMonitored } from "../../../../rig/prometheus/deploy-monitored";
import { everyAlert } from "../../../../rig/prometheus/every-alert";
import type { Prometheus } from "../../../../rig/prometheus/prometheus";
import { until } from "../../../../rig/until";
import { clusterOf } from "../../../../src/model/cluster/cluster";
import type { MonitoredParts } from "../../../../src/model/monitoring/parts";
import { ruleGroups } from "../../../../src/model/monitoring/rule-groups";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { shorterRules } from "../../lib/shorter-rules";
import { useCluster } from "../../lib/use-cluster";
import { ledToCache } from "../../lib/programs";

const props = everyAlert(agentImage);
const parts = partsOf(props);
const groups = ruleGroups(parts, "https://runbooks.example");

/** A cluster with every alert, under load, and a Prometheus that scrapes it. */
export class Monitored {
  readonly parts = parts;
  readonly rules = groups.flatMap((group) => group.rules);
  private started: Prometheus | undefined;

  private constructor(readonly cluster: () => Cluster) {}

  /** One for a file's tests. */
  static use(): Monitored {
    const monitored = new Monitored(useCluster({ proxyMode: "nftables" }));
    let endTraffic: () => Promise<unknown> = async () => undefined;

    beforeAll(async () => {
      const cluster = monitored.cluster();
      await cluster.kubectl.apply([namespaceObject("bar")]);
      monitored.started = await deployMonitored(cluster, props, { groups: shorterRules(groups), seconds: 2 });
      const clients = { "client-1": "node-1", "client-2": "node-1", "client-3": "node-2" };
      const names = ["kubernetes.default.svc", "%.default.svc", "%.kube-system.svc"].map(
        (name) => `${name}.cluster.local`,
      );
      const asked = { server: clusterDns.ipv4, names: [...names, "%.outside.test", "%.slow.test"], rate: 30 };
      endTraffic = await startPodsThatAsk(cluster, clients, asked);
      for (const node of cluster.nodes) await ledToCache(node);
      // of the admission policies and the webhook
      await until("a review", 60, async () => (await monitored.createTenantPod("reviewed")).includes("created"), 2000);
    });
    afterAll(() => endTraffic().catch(() => undefined));
    return monitored;
  }

  get prometheus(): Prometheus {
    if (this.started === undefined) throw new Error("there is a Prometheus only within tests");
    return this.started;
  }

  async createTenantPod(name: string): Promise<string> {
    const spec = pod({ name, namespace: "bar", node: "node-2" });
    return this.cluster().kubectl.apply([spec]);
  }

  nodeOf({ spec }: KubernetesObject): ClusterNode {
    const { nodeName } = spec as { nodeName: string };
    const node = this.cluster().nodes.find(({ name }) => name === nodeName);
    if (node === undefined) throw new Error(`no node ${nodeName}`);
    return node;
  }
}

function partsOf(description: ClusterDnsProps): MonitoredParts {
  const { monitoring } = clusterOf(description).components;
  if (monitoring === undefined) throw new Error("no monitoring");
  return monitoring.parts;
}
