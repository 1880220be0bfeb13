import { appendFileSync } from "node:fs";

/**
 * A figure that a run prints; less is better.
 * @typedef {object} Figure
 * @property {string} what What was measured, once in a run.
 * @property {"lost" | "ratio"} kind `lost`: queries; `ratio`: to something measured in the same run.
 * @property {number} value
 * @property {number} [of] Of how many queries.
 * @property {string} unit
 */

/**
 * Collects a figure for `npm run figures`, which names the file; any other run only prints it. JavaScript, because
 * benchmarks are as well.
 * @param {Figure} figure
 */
export function reportFigure(figure) {
  const file = process.env["CLUSTER_DNS_FIGURES"];
  if (file) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}
