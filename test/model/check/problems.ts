import { resolve } from "../../../src/model/check/resolve";
import { formatPath } from "../../../src/model/syntax/problem";

/** The minimum that a cluster needs. */
export const base = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" };

/** What a node cache under kube-proxy needs as well. */
export const agentImage = "registry.example/agent:1";

/** The problems of a cluster, as lines of text; `base` supplies what `props` leaves out. */
export function problemsOf(props: object): string[] {
  const { problems = [] } = resolve({ ...base, ...props });
  return problems.map(({ path, message }) => `${formatPath(path)}: ${message}`);
}
