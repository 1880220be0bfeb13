import { busybox } from "./busybox";
import { configurations } from "./configurations";
import { endpoints } from "./endpoints";
import type { Finding, Severity } from "./finding";
import { kubelets } from "./kubelets";
import { leftovers } from "./leftovers";
import { logs } from "./logs";
import { nodeCoverage } from "./node-coverage";
import type { Described, Observed } from "./observed";
import { podDns } from "./pod-dns";
import { proxyMode } from "./proxy-mode";
import { scale } from "./scale";
import { services } from "./services";
import { smokeTest } from "./smoke-test";
import { tenants } from "./tenants";
import { together } from "./together";
import { unread } from "./unread";
import { versions } from "./versions";
import { watchdogs } from "./watchdog";
import { webhooks } from "./webhooks";
import { workloads } from "./workloads";

/** What is wrong with a cluster's DNS, first things first. */
export function diagnose(observed: Observed, described?: Described): Finding[] {
  const found = Object.entries(checks).flatMap(([name, check]) => {
    try {
      return check(observed, described);
    } catch (error) {
      return [failed(name, error)];
    }
  });
  return together(severities.flatMap((severity) => found.filter((finding) => finding.severity === severity)));
}

export const severities: readonly Severity[] = ["error", "warning", "info"];

/** One object that nobody has foreseen shall not hide what the other checks find. */
function failed(name: string, error: unknown): Finding {
  return {
    severity: "error",
    title: "could not be checked",
    where: `check ${name}`,
    evidence: [`an object is other than expected: ${error instanceof Error ? error.message : String(error)}`],
    next: [],
  };
}

/** Causes before their consequences. */
const checks: { readonly [name: string]: (observed: Observed, described?: Described) => Finding[] } = {
  proxyMode,
  configurations,
  scale,
  workloads,
  services,
  endpoints,
  kubelets,
  leftovers,
  nodeCoverage,
  watchdogs,
  logs,
  webhooks,
  tenants,
  smokeTest,
  versions,
  unread,
  podDns,
  busybox,
};
