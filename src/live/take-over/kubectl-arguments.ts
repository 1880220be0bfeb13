/** What to fetch: everything in kube-system that is relevant to DNS. */
export const kubectlArguments = [
  "-n",
  "kube-system",
  "get",
  "nodes,services,configmaps,deployments,daemonsets,poddisruptionbudgets,horizontalpodautoscalers",
  "-o",
  "json",
];

/** The same of OpenShift's DNS; kubectl fails where there is no such operator. */
export const openShiftArguments = [
  "-n",
  "openshift-dns",
  "get",
  "services,configmaps,daemonsets,dns.operator.openshift.io",
  "-o",
  "json",
];
