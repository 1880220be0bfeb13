import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { agentImage } from "../../rig/cluster/agent-image";
import { addresses, Network } from "../../rig/kernel/network";
import { until } from "../../rig/until";
import { cgroupValue, cgroupVersions, containerCgroup } from "../../rig/vm/cgroup2";
import { StandaloneKubelet } from "../../rig/vm/standalone-kubelet";
import { staticPod, type StaticPod } from "../../rig/vm/static-pod";
import type { KubernetesObject } from "../../src/model/kubernetes/object";
import { parseQuantity } from "../../src/model/syntax/quantity";
import { root } from "../repository";
import { ask } from "./ask";
import { patient } from "./patient";
import { eventually } from "../eventually";

const { service, linkLocal } = addresses.IPv4;
const timeout = 1_200_000;

describe("a node with cgroup version 2 alone", { timeout }, () => {
  let network: Network;
  let kubelet: StandaloneKubelet;
  let cache: StaticPod;
  let watchdog: StaticPod;

  beforeAll(async () => {
    network = await Network.create("iptables");
    await network.startClusterDNS();
    const objects = rendered();
    cache = staticPod(objects, "node-local-dns", network.folder, edit);
    watchdog = staticPod(objects, "node-local-dns-watchdog", network.folder, edit);
    kubelet = await StandaloneKubelet.start(network);
  }, timeout);
  afterAll(async () => {
    await kubelet?.end();
    await network?.remove();
  });
  beforeEach(({ onTestFailed }) => onTestFailed(() => console.error(kubelet.logs())));

  // In this order: each begins with what the one before it left.
  test("a kubelet runs cache and watchdog, and the cache answers", async () => {
    expect(cgroupVersions()).toEqual(["cgroup2"]);
    kubelet.run(cache);
    await until("the cache's container", 600, async () => containerCgroup(program), 5000);
    kubelet.run(watchdog);
    await expectAnswers([ours, ours]);
  });

  test("the cache's memory limit is that of its cgroup, whose processes are killed together", () => {
    const cgroup = containerCgroup(program) ?? "";
    expect(cgroupValue(cgroup, "memory.max")).toBe(String(bytes(cache)));
    expect(cgroupValue(cgroup, "memory.oom.group")).toBe("1");
  });

  test("beyond its limit it is killed, and the cluster DNS answers until it is started again", async () => {
    const cgroup = containerCgroup(program) ?? "";
    await kubelet.whilePaused(async () => {
      spawnSync("sh", ["-c", allocate, "sh", cgroup, String(bytes(cache))]);
      await until("the end of the cache", 60, async () => containerCgroup(program) === undefined);
      await expectAnswers([""]);
    });
    await expectAnswers([ours, ours]);
    expect(containerCgroup(program)).not.toBe(cgroup);
  });

  /** To pod and node, over UDP and TCP: a name resolves; only the cache knows its health zone. */
  async function expectAnswers(health: readonly unknown[]): Promise<void> {
    const answers = () =>
      // The node's own TCP to the Service's address never goes to the cache.
      (
        [
          [network.pod, service],
          [network.node, linkLocal],
        ] as const
      ).map(([from, server]) => ({
        name: ask(from, [server], { name: "kubernetes.default.svc.cluster.local" }),
        health: ask(from, [server], { name: "health.node-local-dns.internal", type: "TXT" }),
      }));
    const each = { name: ["10.96.0.1", "10.96.0.1"], health };
    await eventually("all answers", 600, answers, [each, each], 10_000);
  }
});

/** Of the cache's container. */
const program = "/coredns";
const ours: unknown = expect.stringMatching(/^"pod=node-local-dns-node-1" /);

/** Joins the cgroup; dd uses a single buffer. */
const allocate = 'echo $$ > "$1/cgroup.procs" && exec dd if=/dev/zero of=/dev/null bs="$2" count=1';

/** What is applied of a cluster file, with an image that the node has. */
function rendered(): KubernetesObject[] {
  const folders = ["node-local-dns", "watchdog"].map((name) => join(root, "dist/kubeadm-iptables", name));
  const files = folders.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)));
  return files.map((file) => {
    const text = readFileSync(file, "utf8").replaceAll(/registry\.example\/cluster-dns-agent:\S+/g, agentImage);
    return parse(text) as KubernetesObject;
  });
}

function edit(file: string, text: string): string {
  if (file !== "config.json") return text;
  const config = JSON.parse(text) as { readonly thresholds: object };
  return JSON.stringify({ ...config, thresholds: { ...config.thresholds, ...patient } });
}

function bytes({ spec }: StaticPod): bigint {
  const limit = parseQuantity(spec.containers[0]?.resources?.limits?.memory ?? "");
  return (limit?.nanos ?? 0n) / 1_000_000_000n;
}
