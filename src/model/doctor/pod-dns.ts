import { decidePodDns } from "../admission/pod-dns";
import type { Pod } from "../kubernetes/kinds";
import { isCurrent } from "../kubernetes/pods";
import { isDNSName } from "../syntax/names";
import { atPods, type Finding, finding, type Findings } from "./finding";
import { grouped } from "../syntax/grouped";
import type { FindingId } from "./findings";
import type { Described } from "./described";
import type { Patient } from "./patient";
import { kubectl, type Suggestion } from "./suggestions";

/** Pods whose resolv.conf is not what their kubelet would write for the cluster's names. */
export function podDns(patient: Patient): Findings {
  const answers = new Set([
    ...(patient.cluster?.nameservers ?? []),
    ...(patient.cluster?.said.clusterDNS ?? []),
    ...patient.dnsServices.flatMap(({ spec }) => spec.clusterIPs ?? []),
  ]);
  // Pods of the cluster itself use the node's DNS on purpose.
  const users = (patient.state.pods ?? []).filter(
    (pod) => isCurrent(pod) && !/^(kube|openshift)-/.test(pod.metadata.namespace ?? ""),
  );
  const otherServers = users.filter(
    ({ spec: { dnsPolicy, dnsConfig } }) =>
      dnsPolicy === "None" && answers.size > 0 && !dnsConfig?.nameservers?.some((server) => answers.has(server)),
  );
  const onHost = users.filter(hasNodesDns);
  const servers = ({ spec }: Pod) => spec.dnsConfig?.nameservers?.join(", ") ?? "";
  const look = (name: string, namespace: string) => kubectl`exec ${name} -n ${namespace} -- cat /etc/resolv.conf`;
  const onHostEvidence = "dnsPolicy is ClusterFirst, which means the node's own DNS there: set ClusterFirstWithHostNet";
  return [
    grouped(otherServers, servers).map(([of, same]) => {
      const evidence = `dnsPolicy None with nameservers [${of}]: the cluster's names do not resolve there`;
      return info("asks-others", same, evidence, look);
    }),
    info("host-network", onHost, onHostEvidence, look),
  ];
}

/** Pods without the options that all pods get when they are created. */
export function podOptions(patient: Patient): Finding | undefined {
  const { pods = [] } = patient.state;
  const { policies, webhook } = patient.cluster?.admission ?? {};
  const all = (policies?.podDns ?? webhook?.podDns)?.all;
  if (!all) return undefined;
  const lacking = pods.filter(
    (pod) => isCurrent(pod) && decidePodDns(pod, { all }, { name: pod.metadata.namespace ?? "" }).action === "set",
  );
  const names = all.options.map(({ name }) => name).join(", ");
  return info(
    "pod-options-missing",
    lacking,
    `dnsConfig lacks an option of admission.podDNSConfig (${names}): they are older, or slipped through admission`,
    (name, namespace) => kubectl`get pod ${name} -n ${namespace} -o ${"jsonpath={.spec.dnsConfig}"}`,
  );
}

/** Pods from which short names are often tried, and seem not to resolve. */
export function busybox(patient: Patient): Finding | undefined {
  const { pods = [], kubelets } = patient.state;
  const found = pods.filter((pod) => isCurrent(pod) && runsBusybox(pod));
  // A node's word, in a command that somebody may run.
  const ofKubelet = [...kubelets.values()].map(({ clusterDomain = "" }) => clusterDomain).find(isDNSName);
  const domain = (patient.cluster?.said.clusterDomain ?? ofKubelet ?? "cluster.local").replace(/\.$/, "");
  const evidence =
    "since busybox 1.28 `nslookup kubernetes.default` fails there although programs resolve it: try a whole name, or ping";
  return info(
    "busybox",
    found,
    evidence,
    (name, namespace) => kubectl`exec ${name} -n ${namespace} -- nslookup kubernetes.default.svc.${domain}.`,
  );
}

/** Whether a check may name a pod of anybody's: any, if admission or a tenant decides its DNS. No other pod is kept. */
export function mayBeNamed(pod: Pod, described?: Described): boolean {
  const { podDns: ofTenants, admission } = described?.cluster ?? {};
  return (
    ofTenants !== undefined ||
    admission !== undefined ||
    pod.spec.dnsPolicy === "None" ||
    hasNodesDns(pod) ||
    runsBusybox(pod)
  );
}

function hasNodesDns({ spec: { hostNetwork, dnsPolicy } }: Pod): boolean {
  return hostNetwork === true && dnsPolicy === "ClusterFirst";
}

function runsBusybox({ spec }: Pod): boolean {
  return spec.containers.some(({ image = "" }) => /(^|\/)busybox(:|@|$)/.test(image));
}

function info(
  id: FindingId,
  pods: readonly Pod[],
  evidence: string,
  look: (name: string, namespace: string) => Suggestion,
): Finding | undefined {
  const [first] = pods;
  if (!first) return undefined;
  const { name, namespace = "default" } = first.metadata;
  return finding(id, atPods(pods), evidence, look(name, namespace));
}
