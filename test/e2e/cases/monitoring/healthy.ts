import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { certManagerCrds } from "../../../../rig/cert-manager/crds";
import type { Kubectl, KubernetesObject } from "../../../../rig/cluster/kubectl";
import { createCrds, publishedPaths } from "../../../../rig/cluster/crds";
import { repositoryRoot } from "../../../../rig/repository";
import { attempt } from "../../../../rig/run";
import { tool } from "../../../../rig/tools";
import { sleep, until } from "../../../../rig/until";
import { certManagerObjects, certManagerSecret } from "../../../../src/constructs/webhook-certificates";
import { dashboardRows } from "../../../../src/model/monitoring/dashboard";
import { isAlert } from "../../../../src/model/monitoring/rule";
import { onlyInFault } from "./coverage";
import { active, expectFired, firing } from "./expect-fired";
import type { Monitored } from "./monitored";
import { eventually } from "../../../eventually";
import { runDocumented } from "../../lib/documented-commands";
import { podOn, podsOf } from "../../lib/programs";
import { parseQuantity } from "../../../../src/model/syntax/quantity";

/** What a healthy cluster shows. */
export function showsHealth(monitored: Monitored): void {
  it("finds every program of the cluster, once on each node or pod", async () => {
    const onEach = { coredns: 2, "node-local-dns": 2, "node-local-dns-watchdog": 2, "node-resolver": 2 };
    const up = async () => {
      const samples = await monitored.prometheus.query("sum by (job) (up == 1)");
      return Object.fromEntries(samples.map(({ metric, value }) => [metric["job"], Number(value[1])]));
    };
    await eventually("all programs to be scraped", 60, up, { ...onEach, "cluster-dns-webhook": 3, apiserver: 1 }, 1000);
  });

  it("gets data for every panel and every recording rule", async () => {
    const panels = dashboardRows(monitored.parts).flatMap((row) => row.panels.flatMap(({ queries }) => queries));
    const expressions = [
      ...panels.map(({ expr }) => expr.replaceAll("$__rate_interval", "20s")),
      ...monitored.rules.flatMap((rule) => (isAlert(rule) ? [] : [rule.record])),
    ];
    const without = async () => {
      const results = await Promise.all(
        expressions.map(async (expr) => [expr, await monitored.prometheus.query(expr)] as const),
      );
      return results.filter(([, samples]) => samples.every(({ value }) => value[1] === "NaN")).map(([expr]) => expr);
    };
    await eventually("data for every panel", 90, without, [], 2000);
  });

  it("fires nothing while all is well, but what the description gets wrong", async () => {
    // the second: on a machine that is busy with other tests, servers are short of CPU
    const wanted = ["NodeResolverUnresolved", "ClusterDNSLatencyBudgetBurn"];
    const unwanted = async (all: typeof active) =>
      (await all(monitored.prometheus)).filter((name) => !wanted.includes(name));
    // What began while the cluster came up must not fire later.
    await eventually("alerts to end, and none to be pending", 120, () => unwanted(active), [], 1000);
    await expectFired(monitored.prometheus, ["NodeResolverUnresolved"]);
    // As long as a window of ten minutes and the five that its alert waits, a fifteenth of both.
    await sleep(60_000);
    expect(await unwanted(firing)).toEqual([]);
  });

  it("names metrics as Prometheus asks", async () => {
    for (const port of [9254, 19256]) {
      const node = monitored.cluster().node(1);
      const text = await node.exec(["curl", "-s", `http://${node.address}:${port}/metrics`]);
      const linted = await attempt([tool("prometheus", "promtool"), "check", "metrics"], { input: text });
      expect(linted).toMatchObject({ code: 0, stdout: "", stderr: "" });
    }
  });

  it("has runbooks whose commands work", async () => {
    const folder = join(repositoryRoot, "docs/runbooks");
    const commands = new Set(
      readdirSync(folder).flatMap((file) => commandsIn(readFileSync(join(folder, file), "utf8"))),
    );
    expect(commands.size).toBeGreaterThan(20);
    const cluster = monitored.cluster();
    await hasCertManagersObjects(cluster.kubectl);
    const [webhook] = await podsOf(cluster, "cluster-dns-webhook");
    const watchdog = await podOn(cluster, "node-local-dns-watchdog", "node-1");
    const names = { NODE: "node-1", POD: watchdog.metadata.name, WEBHOOK: webhook?.metadata.name ?? "" };
    const failed: string[] = [];
    for (const command of commands) {
      const { code, stderr } = await runDocumented(cluster, command, names);
      const isAbsent = code === 1 && stderr === "" && onlyInFault.some((metric) => command.endsWith(`grep ^${metric}`));
      if (code !== 0 && !isAbsent) failed.push(`${command}: ${code} ${stderr}`);
    }
    expect(failed).toEqual([]);
  });
}

/** What commands for webhooks with `certificates: cert-manager` look at; this cluster's webhook has its own. */
async function hasCertManagersObjects(kubectl: Kubectl): Promise<void> {
  await createCrds(kubectl, await publishedPaths(certManagerCrds));
  const metadata = { name: certManagerSecret, namespace: "kube-system" };
  const certificates = certManagerObjects({ issuerRef: undefined }).map(({ kind, manifest }) => ({
    apiVersion: "cert-manager.io/v1",
    kind,
    ...manifest,
    metadata: { ...manifest.metadata, namespace: "kube-system" },
  }));
  await kubectl.apply([{ apiVersion: "v1", kind: "Secret", metadata }, ...certificates] as KubernetesObject[]);
}

/** The commands in the pages' blocks of shell, one a line. */
function commandsIn(page: string): string[] {
  return [...page.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, block = ""]) => block.trim().split("\n"));
}

interface Container {
  readonly name: string;
  readonly resources: { readonly requests: { readonly memory: string } };
}

/** A node has room for its pods only if they take no more than they request. */
export function takesWhatItRequests(monitored: Monitored): void {
  it("takes no more memory than it requests, as the kubelet counts it (working set)", async () => {
    const { kubectl } = monitored.cluster();
    const pods = await kubectl.list("pods", "kube-system", "", "spec.nodeName=node-1");
    const requests = pods.flatMap(({ metadata, spec }) =>
      (spec as { containers: readonly Container[] }).containers.map(({ name, resources }) => ({
        pod: metadata.name,
        name,
        requested: mebibytes(Number((parseQuantity(resources.requests.memory)?.nanos ?? 0n) / 1_000_000_000n)),
      })),
    );
    // The kubelet measures a container some seconds after its start.
    const taken = await until("a working set of each container", 60, async () => {
      const text = await kubectl.run(["get", "--raw", "/api/v1/nodes/node-1/proxy/metrics/resource"]);
      const found = requests.map(({ pod, name }) => workingSet(text, pod, name));
      return found.includes(undefined) ? undefined : found.map((bytes = 0) => mebibytes(bytes));
    });
    const told = requests.map(
      ({ pod, name, requested }, i) => `${pod} ${name}: ${taken[i]} MiB, requested: ${requested} MiB`,
    );
    console.log(told.join("\n"));
    expect(told.length).toBeGreaterThanOrEqual(4);
    expect(told.filter((_, i) => (taken[i] ?? 0) > (requests[i]?.requested ?? 0))).toEqual([]);
  });
}

function workingSet(metrics: string, pod: string, container: string): number | undefined {
  const [line] = metrics
    .split("\n")
    .filter((each) => each.startsWith("container_memory_working_set_bytes{"))
    .filter((each) => each.includes(`pod="${pod}"`) && each.includes(`container="${container}"`));
  return line === undefined ? undefined : Number(line.split(" ")[1]);
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
