import { admissionPlan, hasPolicies, needsWebhook } from "./admission/plan";
import { queryPath } from "./query-path/query-path";
import type { ClusterDnsProps } from "./props/cluster-dns";
import {
  clusterFacts,
  type AuthoritativeDnsProps,
  type FederationProps,
  type NodeLocalDnsProps,
  type NodeResolverProps,
  type TenancyProps,
} from "./props/component-props";
import { derived } from "./check/sound";

// Which components a cluster has, and with which props.

/** Undefined where the cluster keeps the DNS that it has. */
export function authoritativeDnsProps(props: ClusterDnsProps): AuthoritativeDnsProps | undefined {
  return props.authoritativeDNS?.kind === "Existing"
    ? undefined
    : derived(props, { ...clusterFacts(props), ...props.authoritativeDNS });
}

/** Undefined without tenants. */
export function tenancyProps(props: ClusterDnsProps): TenancyProps | undefined {
  const { tenancy } = props;
  return tenancy && derived(props, { ...clusterFacts(props), tenancy });
}

/** Undefined without a federation. */
export function federationProps(props: ClusterDnsProps): FederationProps | undefined {
  const { federation } = props;
  return federation && derived(props, { ...clusterFacts(props), federation });
}

/** Undefined where no cache runs. */
export function nodeLocalDnsProps(props: ClusterDnsProps): NodeLocalDnsProps | undefined {
  return queryPath(props)?.state === "enabled" ? nodeProps(props) : undefined;
}

/** Undefined where nodes have no rules of ours, or nobody is to watch over them. */
export function watchdogProps(props: ClusterDnsProps): NodeLocalDnsProps | undefined {
  const path = queryPath(props);
  // While draining, nothing else keeps the rules that running pods still need.
  const watches = path?.state === "draining" || (path?.state === "enabled" && props.nodeLocalDNS?.watchdog !== false);
  return path?.needsAgent && watches ? nodeProps(props) : undefined;
}

/** Undefined unless the nodes are to be cleaned. */
export function cleanupProps(props: ClusterDnsProps): NodeLocalDnsProps | undefined {
  return queryPath(props)?.state === "removed" ? nodeProps(props) : undefined;
}

/** Undefined where nobody asked for it. */
export function nodeResolverProps(props: ClusterDnsProps): NodeResolverProps | undefined {
  return props.nodeResolver && derived(props, { ...clusterFacts(props), ...props.nodeResolver });
}

/** Undefined where nobody asked for admission, or the cluster's version has no policies that could do it. */
export function admissionPolicyProps(props: ClusterDnsProps): ClusterDnsProps | undefined {
  return hasPolicies(admissionPlan(props)) ? props : undefined;
}

/** Undefined where policies do all that is asked for. */
export function webhookProps(props: ClusterDnsProps): ClusterDnsProps | undefined {
  return needsWebhook(admissionPlan(props)) ? props : undefined;
}

function nodeProps(props: ClusterDnsProps): NodeLocalDnsProps {
  return derived(props, { ...clusterFacts(props), ...props.nodeLocalDNS });
}
