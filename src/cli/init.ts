import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { clusterNameRule, isClusterName } from "../config/cluster-name";
import { type Command, UsageError } from "./command";
import { print, printError } from "./print";

export const command: Command = {
  help: `Writes a first cluster file. Never overwrites one.

Usage: cluster-dns init [--clusters DIR] [NAME]

  NAME            the cluster (default: dev)
  --clusters DIR  the folder of the cluster files (default: clusters)
`,
  options: { clusters: { type: "string", default: "clusters" } },

  run(options, names) {
    const [name = "dev", ...more] = names;
    if (more.length > 0) throw new UsageError(`writes one file, but got ${names.length} names`);
    if (!isClusterName(name)) throw new UsageError(`"${name}" is not a cluster name: ${clusterNameRule}`);
    return writeFirstFile(String(options["clusters"]), name);
  },
};

function writeFirstFile(folder: string, name: string): number {
  const file = join(folder, `${name}.yaml`);
  const existing = [file, join(folder, `${name}.yml`)].find(existsSync);
  if (existing) return refuse(`${existing} already exists; edit it, or choose another name`);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, firstFile(schemaFor(folder)), { flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return refuse(`${file} cannot be written (${String(error.code)})`);
  }
  print(`wrote ${file}: set its values to your cluster's, then run cluster-dns synth\n`);
  return 0;
}

function refuse(message: string): number {
  printError(`${message}\n`);
  return 1;
}

/** The schema's path, relative to the cluster file: beside it, in the installed package, or copied beside it now. */
function schemaFor(folder: string): string {
  const beside = join(folder, "schema.json");
  const packaged = resolve(__dirname, "../../clusters/schema.json");
  const isInstalledHere = packaged.startsWith(`${process.cwd()}${sep}`);
  if (!existsSync(beside)) {
    if (isInstalledHere) return relative(folder, packaged).split(sep).join("/");
    copyFileSync(packaged, beside);
  }
  return "schema.json";
}

function firstFile(schema: string): string {
  return `# yaml-language-server: $schema=${schema}

# Cluster IP of the DNS Service:
#   kubectl -n kube-system get service kube-dns -o jsonpath='{.spec.clusterIPs}'
clusterDNS: [10.96.0.10]

# kube-proxy's mode: iptables (also if its configuration sets none), nftables, ipvs, or none without kube-proxy:
#   kubectl -n kube-system get configmap kube-proxy -o yaml | grep mode:
kubeProxyMode: iptables

# Minor version, in quotes; features that need a newer one are refused:
#   kubectl version
# kubernetesVersion: "1.34"

# The image of the programs that run on nodes. With it, every node gets a DNS cache.
# agentImage: registry.example.com/cluster-dns-agent:v1
`;
}
