import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { clusterDns } from "../../../../rig/cluster/addresses";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { until } from "../../../../rig/until";
import { command as init } from "../../../../src/cli/init";
import { command as synth } from "../../../../src/cli/synth";
import { kubectlArguments } from "../../../../src/live/take-over/kubectl-arguments";
import { expectLostAtMost } from "../../../expect-lost";
import { dig } from "../../lib/dig";
import { untilTerminated } from "../../lib/gitops";
import { useCluster, useClient } from "../../lib/use-cluster";
import { bothAnswers, toldLoad } from "../../lib/usual";
import { installByKubeadm, kubeProxyConfiguration } from "../../lib/other-dns";

const cluster = useCluster();
const client = useClient(cluster);

beforeAll(async () => {
  await installByKubeadm(cluster());
  await cluster().kubectl.apply([await kubeProxyConfiguration(cluster())]);
  const question = { server: clusterDns.ipv4, name: "kubernetes.default.svc.cluster.local" };
  await until("cluster DNS to answer", 30, async () => (await dig(client(), question)).udp.status === "NOERROR");
});

it("init, synth and apply change only what the diff prints, and lose no new flow", async () => {
  const { kubectl, names } = cluster();
  const clusters = names.file("clusters");
  const out = names.file("dist");
  const objects = names.file("objects.json");
  writeFileSync(objects, await kubectl.run(kubectlArguments));
  expect(await init.run({ clusters, from: objects }, ["prod"])).toBe(0);
  // The take-over alone.
  appendFileSync(join(clusters, "prod.yaml"), "\nnodeLocalDNS: { state: disabled }\n");
  expect(await synth.run({ clusters, out, format: "text" }, ["prod"])).toBe(0);

  const before = await everything();
  const { printed, merged } = await printDiff(join(out, "prod"));
  console.log(printed);
  expect(printed).toMatch(/^\+ +app\.kubernetes\.io\/managed-by: cdk8s-cluster-dns$/m);

  const what = "init, synth and apply on kubeadm's objects";
  const report = await toldLoad(what, client(), clusterDns.ipv4, async () => {
    await kubectl.run(["apply", "--server-side", "--force-conflicts", "-k", join(out, "prod")]);
    await kubectl.rolledOut("deployment", "coredns", "kube-system", 180);
    await untilTerminated(cluster(), "kube-system");
  });
  expectLostAtMost(report, { lostOfNewFlows: 0 });
  expect(report.answers).toEqual(bothAnswers);

  // What the diff showed as the result, and all else as it was.
  expect(await everything()).toEqual(new Map([...before, ...merged]));
});

/** Every object that an apply could change, by what identifies it. */
async function everything(): Promise<Map<string, unknown>> {
  const own = ["configmaps", "daemonsets", "deployments", "poddisruptionbudgets", "serviceaccounts", "services"];
  const [namespaced, others] = await Promise.all([
    cluster().kubectl.list([...own, "roles", "rolebindings", "networkpolicies"].join(","), "kube-system"),
    cluster().kubectl.list("clusterroles,clusterrolebindings"),
  ]);
  return new Map([...namespaced, ...others].map(identified));
}

/** `kubectl diff`, and the objects that it shows as the result of the apply. */
async function printDiff(folder: string): Promise<{ printed: string; merged: Map<string, unknown> }> {
  const { kubectl, names } = cluster();
  const kept = names.file("merged");
  mkdirSync(kept);
  const differ = names.file("differ");
  writeFileSync(differ, `#!/bin/sh\ncp "$2"/* ${kept}\nexec diff -u -N "$1" "$2"\n`);
  chmodSync(differ, 0o755);
  const { code, stdout, stderr } = await kubectl.attempt(["diff", "--server-side", "--force-conflicts", "-k", folder], {
    env: { KUBECTL_EXTERNAL_DIFF: differ },
  });
  if (code !== 1) throw new Error(`kubectl diff: exit code ${code}: ${stderr}`);
  const shown = readdirSync(kept).map((file) => parse(readFileSync(join(kept, file), "utf8")) as KubernetesObject);
  return { printed: stdout, merged: new Map(shown.map(identified)) };
}

/** An object without what the API server and the controllers set. */
function identified({ metadata, status: _status, ...fields }: KubernetesObject): [string, unknown] {
  const { name, namespace = "", labels = {}, annotations = {} } = metadata;
  const { "deployment.kubernetes.io/revision": _revision, ...others } = annotations;
  return [`${fields.kind} ${namespace}/${name}`, { ...fields, labels, annotations: others }];
}
