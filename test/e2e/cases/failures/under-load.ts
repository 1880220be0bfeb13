import { beforeAll, expect } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import { agentImage } from "../../../../rig/cluster/agent-image";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import type { LoadReport } from "../../../../rig/load/report";
import { loadText } from "../../../../rig/load/text";
import { until } from "../../../../rig/until";
import type { AuthoritativeDnsOptions } from "../../../../src/model/props/authoritative-dns";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import type { NodeLocalDnsOptions } from "../../../../src/model/props/node-local-dns";
import { expectNothingLost } from "../../../expect-lost";
import { argoCd, Commits } from "../../lib/gitops";
import { useCluster, configureKubelets } from "../../lib/use-cluster";
import { renderedObjects } from "../../../../rig/cluster/deploy";
import { type PodObject, ledToCache, podOn, podsOf } from "../../lib/programs";
import { bothAnswers, loadDuring } from "../../lib/usual";

/** A row of the mode table, and what else the cluster's file says. */
export interface Row {
  readonly kubeProxyMode: "iptables" | "nftables";
  readonly interception: "service-ip" | "link-local";
  readonly authoritativeDNS?: AuthoritativeDnsOptions;
}

export type UnderLoad = ReturnType<typeof underLoad>;

export const cacheApp = "node-local-dns";
export const watchdogApp = "node-local-dns-watchdog";

/** One on each node. The second asks only where a test says so. */
const clients = ["client", "neighbour"];

/** Node pressure evicts pods of lower priority, among them a client without a class. */
const critical = { priorityClassName: "system-node-critical" };

/** A cluster of two nodes, with a client on the first that asks for names while something happens. */
export function underLoad(row: Row) {
  const { kubeProxyMode, interception, authoritativeDNS } = row;
  const cluster = useCluster({ proxyMode: kubeProxyMode });
  /** The nameserver that pods are told. */
  const server = interception === "service-ip" ? clusterDns.ipv4 : "169.254.20.10";
  const commits = new Commits(cluster);

  /** The client's node, to which things happen. */
  const node = () => cluster().node(1);

  beforeAll(async () => {
    if (interception === "link-local") await configureKubelets(cluster(), propsOf());
    for (const [at, name] of clients.entries()) {
      const client = await cluster().startPod({ name, node: `node-${at + 1}`, spec: critical });
      expect(await client.exec(["cat", "/etc/resolv.conf"])).toContain(`nameserver ${server}\n`);
    }
    await commit(objects());
  });

  function propsOf(options: Partial<NodeLocalDnsOptions> = {}, others: Partial<ClusterDnsProps> = {}): ClusterDnsProps {
    const nodeLocalDNS = { interception, ...options };
    return { clusterDNS: [clusterDns.ipv4], kubeProxyMode, agentImage, authoritativeDNS, nodeLocalDNS, ...others };
  }

  /** What a version of the cluster file renders to; without arguments, that which each test starts from. */
  function objects(...args: Parameters<typeof propsOf>): KubernetesObject[] {
    return renderedObjects(propsOf(...args));
  }

  const commit = (after: readonly KubernetesObject[], healthy = true) => commits.commit(argoCd, after, healthy);

  /**
   * Sends 500 queries a second from before something happens until after it, and prints a line.
   * @param from The pod that asks. Default: the client.
   */
  async function during(what: string, happens: () => Promise<void>, from = "client"): Promise<LoadReport> {
    const report = await loadDuring(await cluster().pod(from), server, happens);
    tell(what, report);
    expect(report.answers).toEqual(bothAnswers);
    return report;
  }

  /** Prints a load in one line. */
  function tell(what: string, report: LoadReport): void {
    console.log(`kube-proxy in ${kubeProxyMode} mode, ${interception}, ${what}: ${loadText(report)}`);
  }

  return {
    cluster,
    node,
    server,
    objects,
    commit,
    during,
    tell,
    /** The pods of a program that are not ending. */
    pods: (app: string) => podsOf(cluster(), app),
    /** The state that each test starts from, in which the node's cache answers. */
    async begin() {
      await commit(objects());
      await ledToCache(node());
    },
    /** That on the client's node. */
    podOf: (app: string) => podOn(cluster(), app, node().name),
  };
}

/** Each of these pods runs as it did before. */
export async function expectSame({ pods }: UnderLoad, app: string, before: readonly PodObject[]): Promise<void> {
  const identified = (each: readonly PodObject[]) =>
    each.map(({ metadata, status }) => `${metadata.uid} ${status?.containerStatuses?.[0]?.restartCount}`).sort();
  expect(identified(await pods(app))).toEqual(identified(before));
}

/** Waits for a pod of the program on the client's node, other than this one. */
export async function untilReplaced({ pods, node }: UnderLoad, app: string, old: PodObject): Promise<void> {
  await until(`a new pod of ${app} on ${node().name}`, 90, async () =>
    (await pods(app)).some(
      ({ spec, metadata, status }) =>
        spec.nodeName === node().name &&
        metadata.uid !== old.metadata.uid &&
        status?.containerStatuses?.[0]?.ready === true,
    ),
  );
}

/** Something happens to which no query is lost. */
export async function expectNothingLostDuring(
  { during }: UnderLoad,
  ...args: Parameters<UnderLoad["during"]>
): Promise<void> {
  expectNothingLost(await during(...args));
}
