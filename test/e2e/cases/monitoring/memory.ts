import { expect, it } from "vitest";
import { until } from "../../../../rig/until";
import { parseQuantity } from "../../../../src/model/syntax/quantity";
import type { Monitored } from "./monitored";

interface Container {
  readonly name: string;
  readonly resources: { readonly requests: { readonly memory: string } };
}

/** A node has room for its pods only if they take no more than they request. */
export function takesWhatItRequests(monitored: Monitored): void {
  it("takes no more memory than it requests, as the kubelet counts it (working set)", async () => {
    const { kubectl } = monitored.cluster();
    const pods = await kubectl.list("pods", "kube-system", "", "spec.nodeName=node-1");
    const requests = pods.flatMap(({ metadata, spec }) =>
      (spec as { containers: readonly Container[] }).containers.map(({ name, resources }) => ({
        pod: metadata.name,
        name,
        requested: mebibytes(Number((parseQuantity(resources.requests.memory)?.nanos ?? 0n) / 1_000_000_000n)),
      })),
    );
    // The kubelet measures a container some seconds after its start.
    const taken = await until("a working set of each container", 60, async () => {
      const text = await kubectl.run(["get", "--raw", "/api/v1/nodes/node-1/proxy/metrics/resource"]);
      const found = requests.map(({ pod, name }) => workingSet(text, pod, name));
      return found.includes(undefined) ? undefined : found.map((bytes = 0) => mebibytes(bytes));
    });
    const told = requests.map(
      ({ pod, name, requested }, i) => `${pod} ${name}: ${taken[i]} MiB, requested: ${requested} MiB`,
    );
    console.log(told.join("\n"));
    expect(told.length).toBeGreaterThanOrEqual(4);
    expect(told.filter((_, i) => (taken[i] ?? 0) > (requests[i]?.requested ?? 0))).toEqual([]);
  });
}

function workingSet(metrics: string, pod: string, container: string): number | undefined {
  const [line] = metrics
    .split("\n")
    .filter((each) => each.startsWith("container_memory_working_set_bytes{"))
    .filter((each) => each.includes(`pod="${pod}"`) && each.includes(`container="${container}"`));
  return line === undefined ? undefined : Number(line.split(" ")[1]);
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
