import type { Pod } from "../kubernetes/kinds";
import { isCurrent, placeOf } from "../kubernetes/pods";
import { type Finding, grouped, some } from "./finding";
import type { Described, Observed } from "./observed";
import { isDnsService } from "./services";

/** Pods whose resolv.conf is not what their kubelet would write for the cluster's names. */
export function podDns({ pods, services = [] }: Observed, described?: Described): Finding[] {
  const answers = new Set([
    ...(described ? [...described.cluster.nameservers, ...described.cluster.clusterDNS] : []),
    ...services.filter(isDnsService).flatMap(({ spec }) => spec.clusterIPs ?? []),
  ]);
  // Pods of the cluster itself use the node's DNS on purpose.
  const users = (pods ?? []).filter((pod) => isCurrent(pod) && !pod.metadata.namespace?.startsWith("kube-"));
  const otherServers = users.filter(
    ({ spec: { dnsPolicy, dnsConfig } }) =>
      dnsPolicy === "None" && answers.size > 0 && !dnsConfig?.nameservers?.some((server) => answers.has(server)),
  );
  const onHost = users.filter(
    ({ spec: { hostNetwork, dnsPolicy } }) => hostNetwork === true && dnsPolicy === "ClusterFirst",
  );
  return [
    ...found(otherServers, {
      title: "pods ask other servers than the cluster's",
      evidence: (pod) =>
        `dnsPolicy None with nameservers [${pod.spec.dnsConfig?.nameservers?.join(", ") ?? ""}]: the cluster's names do not resolve there`,
    }),
    ...found(onHost, {
      title: "pods on the host's network do not resolve the cluster's names",
      evidence: () => "dnsPolicy is ClusterFirst, which means the node's own DNS there: set ClusterFirstWithHostNet",
    }),
  ];
}

function found(
  pods: readonly Pod[],
  { title, evidence }: { title: string; evidence: (pod: Pod) => string },
): Finding[] {
  return grouped(pods, evidence).map(([why, same]): Finding => {
    const { name = "", namespace = "default" } = same[0]?.metadata ?? {};
    return {
      severity: "info",
      title,
      where: some(same.map((pod) => `pod ${placeOf(pod)}`)),
      evidence: [why],
      next: [`kubectl exec ${name} -n ${namespace} -- cat /etc/resolv.conf`],
    };
  });
}
