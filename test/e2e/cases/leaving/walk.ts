import { expect } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import type { Cluster } from "../../../../rig/cluster/cluster";
import type { ClusterNode } from "../../../../rig/cluster/node";
import { clusterName, type Fleet } from "../../../../rig/gitops/fleet";
import { until } from "../../../../rig/until";
import { renderCluster } from "../../../../src/charts/render-cluster";
import { clusterOf } from "../../../../src/model/cluster/cluster";
import { printCommand, type ShellCommand } from "../../../../src/model/command";
import { manifestsFolder } from "../../../../src/model/gitops/objects";
import { marker } from "../../../../src/model/node-resolver/hosts-lines";
import { commonLabels } from "../../../../src/model/object-names";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { leave, type LeavingTo } from "../../../../src/model/steps/leave";
import type { StepId } from "../../../../src/model/steps/step";
import { dig } from "../../lib/dig";
import { runDocumented } from "../../lib/documented-commands";
import { onNode } from "../../lib/programs";
import { installByKubeadm } from "../../lib/other-dns";

/** A cluster that leaves, and the repository with its manifests. */
export interface Leaver {
  readonly cluster: Cluster;
  readonly fleet: Fleet;
  readonly described: ClusterDnsProps;
  readonly to: LeavingTo;
  /** Waits until the controller has applied the last commit. */
  readonly push?: () => Promise<void>;
}

/** Its pods' address is an end of `leave`: nothing answers there afterwards. */
const last: StepId = "remove-dns-service";

/** Runs the printed commands in a clone of the repository. After each, pods have answers at every address they may know. */
export async function walk(leaver: Leaver): Promise<StepId[]> {
  const { cluster, described, to } = leaver;
  const resolved = clusterOf(described);
  const folder = manifestsFolder(resolved.said.gitops, clusterName, "dist");
  const { components } = renderCluster(resolved);
  const steps = leave(resolved, { name: clusterName, to, file: `clusters/${clusterName}.yaml`, folder, components });
  const client = await cluster.pod("client");
  const servers = new Set([clusterDns.ipv4, ...(resolved.queryPath?.podNameservers ?? [])]);
  let props = described;
  for (const { id, commands } of steps) {
    props = edited(id, props);
    // No pod that runs knows the others any more.
    if (id === "clean-nodes") for (const each of servers) if (each !== clusterDns.ipv4) servers.delete(each);
    if (id === last) servers.clear();
    for (const command of commands) {
      await run(leaver, command, props);
      for (const server of servers) {
        const answer = await dig(client, { server, name: "kubernetes.default.svc.cluster.local" });
        expect([id, server, answer]).toMatchObject([
          id,
          server,
          { udp: { status: "NOERROR" }, tcp: { status: "NOERROR" } },
        ]);
      }
    }
  }
  return steps.map(({ id }) => id);
}

/** What the steps say of the cluster file. */
function edited(id: StepId, props: ClusterDnsProps): ClusterDnsProps {
  const { nodeLocalDNS, nodeResolver } = props;
  if (id === "clean-hosts-files" && nodeResolver)
    return { ...props, nodeResolver: { ...nodeResolver, state: "removed" } };
  if (id === "drain-cache") return { ...props, nodeLocalDNS: { ...nodeLocalDNS, state: "draining" } };
  if (id === "clean-nodes") return { ...props, nodeLocalDNS: { ...nodeLocalDNS, state: "removed" } };
  return props;
}

/** As a person does. */
async function run({ cluster, fleet, push }: Leaver, command: ShellCommand, props: ClusterDnsProps): Promise<void> {
  const { program, args } = command;
  if (program === "npx") return fleet.synth(props);
  if (program === "git") {
    await fleet.git(...args);
    return args[0] === "commit" ? push?.() : undefined;
  }
  if (program === "kubeadm") return installByKubeadm(cluster);
  const printed = async () => {
    const line = `cd ${fleet.folder} && ${printCommand(command)}`;
    const { code, stdout, stderr } = await runDocumented(cluster, line, { NAMESPACE: "default" });
    expect([line, code, stderr]).toEqual([line, 0, expect.anything()]);
    return stdout;
  };
  if (args[0] !== "logs") return void (await printed());
  await until("every node clean", 240, async () => {
    const said = await printed();
    const clean = /"msg":"(?:removed|nothing to remove|lines removed from [^"]*|[^"]* has no line of ours)"/;
    if (said.split("\n").filter((line) => clean.test(line)).length === cluster.nodes.length) return true;
    throw new Error(said);
  });
}

/** On its nodes and among its objects, of any kind, once the garbage collector has seen to what they owned. */
export async function expectNothingOfOurs(cluster: Cluster): Promise<void> {
  for (const node of cluster.nodes)
    expect([node.name, await onNode(node), await linesOf(node)]).toEqual([node.name, [], []]);
  const ours = `app.kubernetes.io/managed-by=${commonLabels["app.kubernetes.io/managed-by"]}`;
  const { kubectl } = cluster;
  const kinds = (await kubectl.run(["api-resources", "--verbs=list,delete", "--output=name"])).trim().split("\n");
  await until("an end of our objects", 60, async () => {
    const left = await kubectl.run(["get", kinds.join(","), "--all-namespaces", "--selector", ours, "--output=name"]);
    if (left === "") return true;
    throw new Error(left);
  });
}

async function linesOf(node: ClusterNode): Promise<string[]> {
  const hosts = await node.exec(["cat", "/etc/hosts"]);
  return hosts.split("\n").filter((line) => line.includes(marker));
}
