import type { Node } from "../kubernetes/kinds";
import { some } from "../syntax/some";
import { atNodes, type Finding, finding } from "./finding";
import type { Patient } from "./patient";
import { isUp } from "./placed";
import { onNode } from "./suggestions";

/** Nodes that are ready, and whose clock is not the API server's. */
export function clocks({ state: { nodes = [], now } }: Patient): Finding | undefined {
  const wrong = nodes
    .map((node) => ({ node: node.metadata.name, minutes: Math.round(aheadOf(node, now) / 60_000) }))
    .filter(({ minutes }) => minutes !== 0)
    .map(({ node, minutes }) => ({ node, told: `${Math.abs(minutes)} min ${minutes > 0 ? "ahead" : "behind"}` }));
  const [first, ...others] = wrong;
  if (!first) return undefined;
  const told = others.length === 0 ? first.told : some(wrong.map((each) => `${each.node} ${each.told}`));
  const isEverywhere = nodes.length > 1 && wrong.length === nodes.length;
  return finding(
    "clock-differs",
    atNodes(wrong.map(({ node }) => node)),
    [
      `by the time of the kubelet's last report: ${told}`,
      isEverywhere && "all nodes differ: perhaps the API server's clock is wrong",
      "certificates and tokens may count as expired, or as not yet valid; times in logs there are shifted",
    ],
    onNode(`on ${first.node}: does it have the time from a server?`)`timedatectl`,
  );
}

/**
 * How far a node's clock is ahead, in milliseconds; 0 if a report may just be late: a kubelet sends one every 5 minutes
 * (nodeStatusReportFrequency).
 */
function aheadOf(node: Node, now: Date): number {
  const { lastHeartbeatTime = "" } = node.status?.conditions?.find(({ type }) => type === "Ready") ?? {};
  const ahead = Date.parse(lastHeartbeatTime) - now.getTime();
  return isUp(node) && Math.abs(ahead) > 2 * 5 * 60_000 ? ahead : 0;
}
