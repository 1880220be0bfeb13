import { expect } from "vitest";
import { addresses, answeredBy, type Family, type Network } from "../../rig/kernel/network";
import { eventually } from "../eventually";
import { ask } from "./ask";

export const families: Family[] = ["IPv4", "IPv6"];
const cluster = answeredBy.cluster.A;
export const linkLocals = families.map((family) => addresses[family].linkLocal);
const services = families.map((family) => addresses[family].service);

/**
 * From pod and node, over UDP and TCP and from a source port that was used before: each query to the cache's addresses
 * has this answer, as soon as the watchdog has seen what happened, and nobody remembers the port's last connection.
 */
export async function expectAnswers({ pod, node }: Network, answer: string): Promise<void> {
  const four = [answer, answer, answer, answer];
  const again = () =>
    families.flatMap((family) => ask(pod, [addresses[family].linkLocal], { source: `${addresses[family].pod}#5353` }));
  const all = () => ({ node: ask(node, linkLocals), pod: ask(pod, linkLocals), again: again() });
  await eventually("all answers", 400, all, { node: four, pod: four, again: four }, 2000);
  for (const from of [pod, node]) expect(ask(from, services)).toEqual([cluster, cluster, cluster, cluster]);
}
