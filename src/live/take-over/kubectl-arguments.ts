/** What to fetch: everything in kube-system that is relevant to DNS. */
export const kubectlArguments = [
  "-n",
  "kube-system",
  "get",
  "nodes,services,configmaps,deployments,daemonsets,poddisruptionbudgets,horizontalpodautoscalers",
  "-o",
  "json",
];
