import { inDocs } from "../model/docs";
import { onOneLine } from "../model/syntax/printable";
import { type Json, toYaml } from "../output/yaml";

const sections: { readonly [key: string]: { comment: string; example: string; isOptional?: true } } = {
  clusterDNS: {
    comment: `# Cluster IP of the DNS Service:
#   kubectl -n kube-system get service kube-dns -o jsonpath='{.spec.clusterIPs}'`,
    example: "clusterDNS: [10.96.0.10]",
  },
  kubeProxyMode: {
    comment: `# kube-proxy's mode: iptables (also if its configuration sets none), nftables, ipvs, or none without kube-proxy:
#   kubectl -n kube-system get configmap kube-proxy -o yaml | grep mode:
# k3s and RKE2 have no such ConfigMap; a node tells as well:
#   curl -s localhost:10249/proxyMode`,
    example: "kubeProxyMode: iptables",
  },
  kubernetesVersion: {
    comment: `# Minor version, in quotes; features that need a newer one are refused:
#   kubectl version`,
    example: 'kubernetesVersion: "1.34"',
    isOptional: true,
  },
  agentImage: {
    comment: `# The image of the programs that run on nodes. With it, DNS outlives a cache that dies
# (${inDocs("agent-image")}).`,
    example: "agentImage: registry.example.com/cluster-dns-agent:v1",
    isOptional: true,
  },
};

/** A cluster file as a user would write it; missing keys are examples. @param shared Keys of the defaults file. */
export function firstFile(
  shared: readonly string[],
  description?: { readonly [key: string]: unknown },
  reasons: { readonly [key: string]: string } = {},
): string {
  const said = description ?? {};
  const own = Object.entries(sections).filter(([key]) => Object.hasOwn(said, key) || !shared.includes(key));
  const known = own.map(([key, { comment, example, isOptional }]) => {
    const missing = description || isOptional ? `# ${example}` : example;
    return `${comment}\n${said[key] === undefined ? missing : toYaml({ [key]: said[key] as Json }).trimEnd()}\n`;
  });
  const rest = Object.keys(said).filter((key) => !Object.hasOwn(sections, key));
  // A reason may quote what somebody else wrote.
  const reason = (key: string) => (reasons[key] === undefined ? "" : `# ${onOneLine(reasons[key])}.\n`);
  // A cluster file with nothing but comments is refused.
  const isEmpty = description
    ? shared.length > 0 && Object.keys(description).length === 0
    : own.every(([, { isOptional }]) => isOptional);
  return [
    ...known,
    ...rest.map((key) => reason(key) + toYaml({ [key]: said[key] as Json })),
    ...(isEmpty ? ["{} # what it needs is in the defaults file; your first key replaces this line\n"] : []),
  ].join("\n");
}
