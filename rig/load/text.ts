import type { LoadReport, LossWindow } from "./report";

/** A load in one line: what was lost, of how many and when, then how reliable that is and how long answers took. */
export function loadText(report: LoadReport): string {
  const { skipped, seconds, latencyMs } = report;
  return [
    `${lossText(report)}, in ${seconds.toFixed(1)} s`,
    ...(report.lost > 0 ? [counts(report.failures), windowsText(report.windows)] : []),
    ...(skipped > 0 ? [`${number(skipped)} more never sent, as the generator itself was not scheduled`] : []),
    `answers took ${latencyMs.p50} ms (p50), ${latencyMs.p99} ms (p99), ${latencyMs.max} ms (max)`,
  ].join("; ");
}

/** How many queries were lost of how many, from which flows, within what time. */
export function lossText({ sent, lost, lostOfNewFlows, windowMs }: LoadReport): string {
  const losses = `${number(lost)} of ${number(sent)} queries lost`;
  if (lost === 0) return losses;
  return `${losses} (new flows: ${number(lostOfNewFlows)}, known flows: ${number(lost - lostOfNewFlows)}), within ${windowMs} ms`;
}

/** The longest three. */
function windowsText(windows: readonly LossWindow[]): string {
  const longest = windows.toSorted((one, other) => other.lengthMs - one.lengthMs).slice(0, 3);
  const texts = longest.map(
    ({ fromMs, lengthMs, lost }) => `${number(lost)} in ${lengthMs} ms from ${(fromMs / 1000).toFixed(2)} s on`,
  );
  return [...texts, ...(windows.length > 3 ? [`and ${windows.length - 3} shorter windows`] : [])].join(", ");
}

function counts(values: Readonly<Record<string, number>>): string {
  return Object.entries(values)
    .map(([what, times]) => `${what}: ${number(times)}`)
    .join(", ");
}

function number(value: number): string {
  return value.toLocaleString("en");
}
