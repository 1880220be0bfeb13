import { hasLocalRedirectFaults, localRedirectFaults } from "../cilium-version";
import { features, minorVersion, supportedMinors } from "../kubernetes-version";
import type { Cluster } from "../cluster/cluster";
import type { ClusterDnsProps } from "../props/cluster-dns";
import { proxyMode } from "../query-path/proxy-modes";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { about, type Given } from "./report";

export function versionRules({ props, cluster }: Given): Problem[] {
  const { kubernetesVersion, kubeProxyMode, trafficDistribution } = props;
  const modeSince = kubeProxyMode && proxyMode({ kubeProxyMode }).since;
  const { oldest, newest } = supportedMinors;
  return [
    ...about(["kubernetesVersion"]).when(
      kubernetesVersion !== undefined && minorVersion(kubernetesVersion) === undefined,
      `${show(kubernetesVersion)} is not supported; accepted: "1.${oldest}" to "1.${newest}", without patch version${withoutPatch(kubernetesVersion)}`,
    ),
    // A cluster whose kube-proxy runs in this mode supports it, so only a version that contradicts that is wrong.
    ...(modeSince !== undefined && kubernetesVersion !== undefined
      ? needsVersion(props, ["kubeProxyMode"], kubeProxyMode, modeSince)
      : []),
    ...(trafficDistribution === undefined
      ? []
      : needsVersion(
          props,
          ["trafficDistribution"],
          trafficDistribution,
          trafficDistribution === "PreferClose" ? features.preferClose : features.preferSameNode,
        )),
    ...about(["ciliumVersion"]).say(ciliumFault(props, cluster)),
  ];
}

/** What is meant by `v1.30`, `1.30.2` or `1.30.4-eks-1`. */
function withoutPatch(version: string | undefined): string {
  const minor = /^v?(1\.\d+)\b/.exec(version ?? "")?.[1];
  return minor !== undefined && minorVersion(minor) !== undefined ? `; write "${minor}"` : "";
}

function ciliumFault({ cni, ciliumVersion }: ClusterDnsProps, cluster: Cluster | undefined): string | undefined {
  if (ciliumVersion === undefined) return undefined;
  if (cni !== "cilium") return "has no effect without cni: cilium; set that, or leave it out";
  const redirects = cluster?.queryPath?.interception === "local-redirect" && cluster.queryPath.state === "enabled";
  const { since, fixed, what } = localRedirectFaults;
  return redirects && hasLocalRedirectFaults(ciliumVersion)
    ? `${show(ciliumVersion)} cannot redirect reliably: ${what}; accepted: before ${since}, from ${fixed}; upgrade Cilium, or set nodeLocalDNS: {state: disabled}`
    : undefined;
}

/** The problem if a feature is newer than the cluster, or if the cluster's version is unknown. */
export function needsVersion(props: ClusterDnsProps, path: Problem["path"], what: string, minor: number): Problem[] {
  const { kubernetesVersion } = props;
  if (kubernetesVersion === undefined)
    return about(path).say(
      `${what} needs Kubernetes 1.${minor}; set kubernetesVersion: "1.${minor}" or newer if the cluster has it`,
    );
  const have = minorVersion(kubernetesVersion);
  return about(path).when(
    have !== undefined && have < minor,
    `${what} needs Kubernetes 1.${minor}; kubernetesVersion is ${show(kubernetesVersion)}`,
  );
}
