import { Cluster } from "../../../rig/cluster/cluster";

/** Starts a cluster and waits to be killed. Its argument is the cluster's name. */
async function main(): Promise<void> {
  const name = process.argv[2] ?? "";
  const options = { name, proxyMode: "iptables", nodes: 1, ipFamilies: "IPv4", ownerPid: process.pid } as const;
  await Cluster.up(options, (line) => process.stdout.write(`${line}\n`));
  setInterval(() => undefined, 60_000);
}

void main();
