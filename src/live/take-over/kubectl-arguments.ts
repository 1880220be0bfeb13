/** What to fetch: everything in kube-system that is relevant to DNS. */
export const kubectlArguments = getting(
  "kube-system",
  "nodes,services,configmaps,deployments,daemonsets,poddisruptionbudgets,horizontalpodautoscalers",
);

/** The same of OpenShift's DNS; kubectl fails where there is no such operator. */
export const openShiftArguments = getting("openshift-dns", "services,configmaps,daemonsets,dns.operator.openshift.io");

function getting(namespace: string, kinds: string): readonly string[] {
  return ["-n", namespace, "get", kinds, "-o", "json"];
}
