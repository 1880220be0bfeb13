import { features, minorVersion, supportedMinors } from "../kubernetes-version";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Problem } from "../syntax/problem";
import { show } from "./shape";
import { problem, when } from "./report";

export function versionRules(props: ClusterDnsProps): Problem[] {
  const { kubernetesVersion, kubeProxyMode, trafficDistribution } = props;
  const { oldest, newest } = supportedMinors;
  return [
    ...when(
      kubernetesVersion !== undefined && minorVersion(kubernetesVersion) === undefined,
      ["kubernetesVersion"],
      `${show(kubernetesVersion)} is not supported; accepted: "1.${oldest}" to "1.${newest}", without patch version`,
    ),
    // A cluster whose kube-proxy runs in this mode has it, so only a version that says otherwise is wrong.
    ...(kubeProxyMode === "nftables" && kubernetesVersion !== undefined
      ? needsVersion(props, ["kubeProxyMode"], "nftables", features.nftables)
      : []),
    ...(trafficDistribution === undefined
      ? []
      : needsVersion(
          props,
          ["trafficDistribution"],
          trafficDistribution,
          trafficDistribution === "PreferClose" ? features.preferClose : features.preferSameNode,
        )),
  ];
}

/** The problem that a feature is newer than the cluster, or that the cluster's version is not known. */
export function needsVersion(props: ClusterDnsProps, path: Problem["path"], what: string, minor: number): Problem[] {
  const { kubernetesVersion } = props;
  if (kubernetesVersion === undefined)
    return [
      problem(
        path,
        `${what} needs Kubernetes 1.${minor}; say kubernetesVersion: "1.${minor}" or newer if the cluster has it`,
      ),
    ];
  const have = minorVersion(kubernetesVersion);
  return when(
    have !== undefined && have < minor,
    path,
    `${what} needs Kubernetes 1.${minor}; kubernetesVersion is ${show(kubernetesVersion)}`,
  );
}
