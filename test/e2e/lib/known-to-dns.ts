import { expect } from "vitest";
import type { Cluster } from "../../../rig/cluster/cluster";
import type { Pod } from "../../../rig/cluster/pod";
import { eventually } from "../../eventually";
import { dig } from "./dig";
import { podsOf } from "./pods";

/**
 * Waits until each CoreDNS has heard of what was created: one answers before the other, and a cache keeps for a while that
 * a name does not exist.
 */
export async function knownToDns(
  cluster: Cluster,
  from: Pod,
  names: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  for (const { status } of await podsOf(cluster, "kube-dns"))
    for (const [name, answers] of Object.entries(names)) {
      const ask = () => dig(from, { server: status?.podIP ?? "", name });
      const answer = { status: "NOERROR", answers: answers.map((address) => `A ${address}`).toSorted() };
      await eventually(`${name} in each CoreDNS`, 60, ask, ({ udp }) => expect(udp).toEqual(answer));
    }
}
