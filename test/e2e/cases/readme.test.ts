import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { agentImage } from "../../../rig/cluster/agent-image";
import { repositoryRoot, readText } from "../../../rig/repository";
import { run } from "../../../rig/run";
import { until } from "../../../rig/until";
import { documentedCommands, withKubectl } from "../lib/documented-commands";
import { useCluster } from "../lib/use-cluster";
import { temporaryFolder } from "../../temporary-folder";
import { ledToCache } from "../lib/programs";
import { installByKubeadm } from "../lib/other-dns";

// README.md, from a cluster that kubeadm made to a cache on each of its nodes, by its commands and nothing else.

const cluster = useCluster();
const commands = documentedCommands("README.md");
const place = (word: string) => commands.findIndex((command) => command.includes(word));

/** A user's own folder. */
const folder = temporaryFolder("readme");
const kubeconfig = join(folder, "kubeconfig");

beforeAll(async () => {
  await installByKubeadm(cluster());
  await cluster().controlPlane.openToTheMachine();
  // README calls its context like the cluster.
  const text = readFileSync(cluster().names.file("kubeconfig"), "utf8");
  writeFileSync(kubeconfig, text.replaceAll(/\bcluster-dns\b/g, "prod-eu"));
  mkdirSync(join(folder, "clone"));
});

function follow(command: string): Promise<string> {
  return run(["bash", "-ec", command], { cwd: join(folder, "dns"), env: withKubectl(kubeconfig), timeoutSeconds: 600 });
}

it("leads from a clone to the cluster's manifests", async () => {
  const [, pack = ""] = /`(mkdir \.\.\/dns && npm pack [^`]+)`/.exec(readText("README.md")) ?? [];
  await run(["bash", "-ec", pack.replaceAll("../dns", join(folder, "dns"))], {
    cwd: repositoryRoot,
    timeoutSeconds: 600,
  });
  const [install = "", init = "", ...others] = commands.slice(place("npm install"), place("kubectl apply"));
  expect(others).toHaveLength(2);
  await follow(install);
  // The rig's kube-proxy has no ConfigMap that says its mode.
  expect(await follow(init)).toContain("to be corrected in it:\n  kubeProxyMode:");
  const file = join(folder, "dns/clusters/prod-eu.yaml");
  const corrected = readFileSync(file, "utf8").replace(/^# (kubeProxyMode: iptables)$/m, "$1");
  writeFileSync(file, `${corrected}agentImage: ${agentImage}\n`);
  for (const command of others) await follow(command);
  expect(readFileSync(join(folder, "dns/dist/prod-eu/kustomization.yaml"), "utf8")).toContain("node-local-dns");
});

it("leads from there to a cache on each node, where doctor finds no error", async () => {
  const [apply = "", wait = "", doctor = "", ...others] = commands.slice(place("kubectl apply"));
  expect(others).toEqual([]);
  for (const command of [apply, wait]) await follow(command);
  for (const node of cluster().nodes) await ledToCache(node);
  // CoreDNS's own rollout may take longer.
  await until("doctor to find no error", 180, () => follow(doctor));
});
