import type { LocalApiServer } from "../../../../rig/admission/local-api-server";
import type { FakeCluster } from "../../../../rig/kwok";
import { run } from "../../../../rig/run";
import { tool } from "../../../../rig/tools";
import { until } from "../../../../rig/until";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { renderedObjects } from "../../../../rig/cluster/deploy";

interface DaemonSet {
  readonly metadata: { readonly generation: number };
  readonly status: {
    readonly observedGeneration?: number;
    readonly updatedNumberScheduled?: number;
    readonly numberAvailable?: number;
    readonly numberUnavailable?: number;
  };
}

/** Waits until each node has a DaemonSet's newest pod, and no other. Nothing touches the DaemonSet meanwhile. */
export async function rolledOut(api: LocalApiServer, fake: FakeCluster, name: string, nodes: number) {
  const started = performance.now();
  /** The most nodes without an available pod. */
  let unavailable = 0;
  const isThere = async () => {
    if (!fake.isWhole) return true;
    const path = `/apis/apps/v1/namespaces/kube-system/daemonsets/${name}`;
    const { metadata, status } = (await api.must("GET", path)) as unknown as DaemonSet;
    unavailable = Math.max(unavailable, status.numberUnavailable ?? 0);
    return (
      status.observedGeneration === metadata.generation &&
      status.updatedNumberScheduled === nodes &&
      status.numberAvailable === nodes
    );
  };
  await until(`${name} on all nodes`, 120 + nodes / 2, isThere, 500, () => fake.logs());
  if (!fake.isWhole) throw new Error(`a program has ended:\n${fake.logs()}`);
  return { seconds: (performance.now() - started) / 1000, unavailable };
}

export async function apply(api: LocalApiServer, described: ClusterDnsProps): Promise<void> {
  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: renderedObjects(described) });
  await kubectl(api, ["apply", "--server-side", "-f", "-"], list);
}

export function kubectl(api: LocalApiServer, args: readonly string[], input = ""): Promise<string> {
  return run([tool("kubernetes", "kubectl"), "--kubeconfig", api.files.kubeconfig, ...args], { input });
}
