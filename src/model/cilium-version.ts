import { compareVersions } from "./syntax/compare-versions";

/** What is known of Cilium's local redirect since its load balancing was rewritten, until all of it was mended. */
export const localRedirectFaults = {
  since: "1.18.0",
  fixed: "1.20.2",
  what: "queries are dropped on nodes where no cache is ready (cilium#41450, #43080), and other regressions were only mended in 1.20.2 (cilium#46638)",
} as const;

export function hasLocalRedirectFaults(version: string): boolean {
  const { since, fixed } = localRedirectFaults;
  return compareVersions(version, since) >= 0 && compareVersions(version, fixed) < 0;
}
