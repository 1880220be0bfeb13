import type { Preflight } from "../model/preflight/preflight";
import { some } from "../model/syntax/some";

/** For each workload, the nodes it runs on, then the others grouped by what rules them out. */
export function placementTable(placements: Preflight["placements"]): string {
  return placements.map(workloadTable).join("\n");
}

function workloadTable({ workload, matches }: Preflight["placements"][number]): string {
  const rows = new Map<string, string[]>();
  // Matching nodes first, whatever the order of the list.
  for (const match of [...matches].sort((a, b) => Number(a.reasons.length > 0) - Number(b.reasons.length > 0))) {
    const verdict = match.reasons.length === 0 ? "runs" : `does not run: ${match.reasons.join("; ")}`;
    const nodes = rows.get(verdict);
    if (nodes) nodes.push(match.node);
    else rows.set(verdict, [match.node]);
  }
  const matching = matches.filter(({ reasons }) => reasons.length === 0).length;
  const lines = [...rows].map(([verdict, nodes]) => [some(nodes, 8), verdict] as const);
  const width = Math.max(...lines.map(([nodes]) => nodes.length));
  const body = lines.map(([nodes, verdict]) => `  ${nodes.padEnd(width)}  ${verdict}\n`);
  return `${workload.kind} ${workload.name}: ${matching} of ${matches.length} nodes\n${body.join("")}`;
}
