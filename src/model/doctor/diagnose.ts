import { autoscalers } from "./autoscalers";
import { changedPods } from "./changed-pods";
import { clocks } from "./clocks";
import { controlPlane } from "./control-plane";
import { configurations } from "./configurations";
import { endpoints } from "./endpoints";
import { evictions } from "./evictions";
import { type Finding, finding, type Findings } from "./finding";
import { findings, type Severity } from "./findings";
import { kubelets } from "./kubelets";
import { leftovers } from "./leftovers";
import { logs } from "./logs";
import { nodeCoverage, nodeNetworks, nodesDown, spread } from "./nodes";
import { notAsDescribed } from "./not-as-described";
import type { ClusterState } from "../running/cluster-state";
import { failingWebhooks } from "./failing-webhooks";
import { forwarded } from "./forwarded";
import { Patient } from "./patient";
import type { Described } from "./described";
import { errorMessage } from "../syntax/error-message";
import { keysIn } from "../syntax/mapping";
import { dense } from "../syntax/sparse";
import { busybox, podDns, podOptions } from "./pod-dns";
import { podSecurity } from "./pod-security";
import { kubeProxies, proxyMode } from "./proxy-mode";
import { ownService } from "./services";
import { shutOut } from "./shut-out";
import { smokeTest } from "./smoke-test";
import { stalledRollouts } from "./stalled-rollouts";
import { takenAddresses } from "./taken-addresses";
import { tenants } from "./tenants";
import { unread } from "./unread";
import { versions } from "./versions";
import { watchdogs } from "./watchdog";
import { webhooks } from "./webhooks";
import { workloads } from "./workloads";

/** What is wrong with a cluster's DNS: the worst first, and causes before their consequences. */
export function diagnose(state: ClusterState, described?: Described): Finding[] {
  const patient = new Patient(state, described);
  const found = Object.entries(checks).flatMap(([name, check]) => {
    try {
      return dense(check(patient));
    } catch (error) {
      // One object that nobody has foreseen shall not hide what the other checks find.
      return [finding("unchecked", `check ${name}`, [`an object is other than expected: ${errorMessage(error)}`])];
    }
  });
  return found.toSorted((a, b) => rank(a) - rank(b));
}

export const severities: readonly Severity[] = ["error", "warning", "info"];

const order = keysIn(findings);

function rank({ id, severity }: Finding): number {
  return severities.indexOf(severity) * order.length + order.indexOf(id);
}

const checks: { readonly [name: string]: (patient: Patient) => Findings } = {
  nodesDown,
  nodeNetworks,
  clocks,
  controlPlane,
  proxyMode,
  kubeProxies,
  notAsDescribed,
  ownService,
  podSecurity,
  failingWebhooks,
  configurations,
  stalledRollouts,
  workloads,
  autoscalers,
  changedPods,
  spread,
  evictions,
  endpoints,
  takenAddresses,
  kubelets,
  leftovers,
  shutOut,
  nodeCoverage,
  watchdogs,
  logs,
  forwarded,
  webhooks,
  tenants,
  smokeTest,
  versions,
  unread,
  podDns,
  podOptions,
  busybox,
};
