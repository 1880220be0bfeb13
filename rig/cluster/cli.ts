import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { consoleProgress } from "../progress";
import { tool } from "../tools";
import { clusters, leftovers, removeAbandoned, removeCluster } from "./cleanup";
import { Cluster } from "./cluster";
import type { ClusterOptions } from "./options";
import { Names } from "./names";

const usage = `usage: npm run cluster -- up|load IMAGE|down|status [--name NAME] [--proxy iptables|nftables] [--nodes N] [--dual-stack] [--cilium]

up          starts a real Kubernetes cluster in namespaces of this machine (default: dev, iptables, 2 nodes)
load IMAGE  imports an image on every node: an archive as \`docker save\` writes it
down        ends it and removes all that it made
status      shows the clusters of this machine
`;

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      name: { type: "string", default: "dev" },
      proxy: { type: "string", default: "iptables" },
      nodes: { type: "string", default: "2" },
      "dual-stack": { type: "boolean", default: false },
      cilium: { type: "boolean", default: false },
    },
  });
  const names = new Names(values.name);
  const [command, image] = positionals;
  if (command === "up")
    return up({
      name: names.cluster,
      proxyMode: proxyMode(values.proxy),
      nodes: nodeCount(values.nodes),
      ipFamilies: values["dual-stack"] ? "dual" : "IPv4",
      cilium: values.cilium,
    });
  if (command === "load" && image !== undefined) {
    const archive = resolve(process.env["INIT_CWD"] ?? "", image);
    if (!existsSync(archive))
      throw new Error(`${archive}: there is no such archive; npm run image prints where its own is`);
    return Cluster.attach(names.cluster).importImage(archive);
  }
  if (command === "down") return down(names);
  if (command === "status") return status();
  throw new Error(usage);
}

async function up(options: ClusterOptions): Promise<void> {
  const cluster = await Cluster.up(options, consoleProgress());
  const { names } = cluster;
  const kubectl = names.file("kubectl");
  const command = [
    "ip",
    "netns",
    "exec",
    names.namespace("control-plane"),
    tool("kubernetes", "kubectl"),
    "--kubeconfig",
    names.file("pki", "admin.conf"),
  ];
  writeFileSync(kubectl, `#!/bin/sh\nexec ${command.join(" ")} "$@"\n`, { mode: 0o755 });
  const port = await cluster.controlPlane.openToTheMachine();
  process.stdout.write(`${await cluster.kubectl.run(["get", "nodes"])}
kubeconfig, for any program on this machine (port ${port} of 127.0.0.1): ${names.file("kubeconfig")}
kubectl of the cluster's version: ${kubectl}
a shell on a node: nsenter -t $(cat ${names.file("node-1", "init.pid")}) -a
`);
}

async function down(names: Names): Promise<void> {
  await removeAbandoned();
  await removeCluster(names);
  const left = await leftovers(names);
  if (left.length > 0) throw new Error([`cluster ${names.cluster} left:`, ...left].join("\n- "));
}

async function status(): Promise<void> {
  const found = await clusters();
  if (found.length === 0) process.stdout.write("no cluster\n");
  for (const name of found) {
    const complete = existsSync(new Names(name).file("cluster.json"));
    const nodes = complete
      ? await Cluster.attach(name).kubectl.attempt(["get", "nodes", "--request-timeout=3s"])
      : undefined;
    process.stdout.write(
      `${name}\n${nodes === undefined ? "  failed to start, or is starting" : nodes.stdout || nodes.stderr}\n`,
    );
  }
}

function proxyMode(value: string): "iptables" | "nftables" {
  if (value === "iptables" || value === "nftables") return value;
  throw new Error(`--proxy: got "${value}", accepted: iptables, nftables`);
}

function nodeCount(value: string): number {
  const count = Number(value);
  if (Number.isInteger(count) && count >= 0 && count <= 9) return count;
  throw new Error(`--nodes: got "${value}", accepted: a number from 0 to 9`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const lines: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) lines.push(each.message);
  process.stderr.write(`${lines.join("\n")}\n`);
  process.exitCode = 1;
});
