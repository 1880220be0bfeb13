import { reportFigure } from "../figures/report.mjs";
import type { LoadReport } from "./report";
import { loadText } from "./text";

/** Prints a load in one line, and reports what it lost. */
export function tellLoad(what: string, report: LoadReport): void {
  console.log(`${what}: ${loadText(report)}`);
  reportLosses(what, report);
}

/**
 * Of new flows: those that the kernel knows stay with a pod that has ended until kube-proxy forgets them, whatever it
 * is that we do.
 */
export function reportLosses(what: string, { lostOfNewFlows, sent }: LoadReport): void {
  reportFigure({ what, kind: "lost", value: lostOfNewFlows, of: sent, unit: "queries of new flows lost" });
}
