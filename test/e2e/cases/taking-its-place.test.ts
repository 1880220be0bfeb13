import { beforeAll, describe, expect, it } from "vitest";
import { clusterDns } from "../../../rig/cluster/addresses";
import type { Cluster } from "../../../rig/cluster/cluster";
import { allRolledOut, writeManifests } from "../../../rig/cluster/deploy";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { load } from "../../../rig/load/load";
import { tellLoad } from "../../../rig/load/tell";
import { sleep, until } from "../../../rig/until";
import { expectLostAtMost } from "../../expect-lost";
import { documentedCommands, runDocumented } from "../lib/documented-commands";
import { useCluster } from "../lib/use-cluster";
import { uncached } from "../lib/usual";
import { installByKubeadm } from "../lib/other-dns";

const page = documentedCommands("docs/from-a-cluster.md");
const first = page.findIndex((each) => each.includes("--cascade=orphan"));
const last = page.findIndex((each) => each.includes("delete replicaset"));

// Deployments of CoreDNS that ours cannot change in place, by the commands of docs/from-a-cluster.md, "Taking its place".
describe.each([
  ["whose pods have ours and another label", { "k8s-app": "kube-dns", "app.kubernetes.io/name": "coredns" }],
  ["whose pods have another label", { "k8s-app": "coredns" }],
])("a Deployment %s", (_what, labels) => {
  const cluster = useCluster({ nodes: 1 });
  const isSelected = labels["k8s-app"] === "kube-dns";

  beforeAll(async () => {
    await installByKubeadm(cluster());
    await relabel(cluster(), labels);
    await cluster().startPod({ name: "client" });
  });

  it("gives its place to ours, and names resolve meanwhile", async () => {
    const folder = writeManifests(cluster(), uncached);
    const commands = isSelected
      ? [page[first] ?? "", "kubectl apply --server-side --force-conflicts -k dist/prod"]
      : page.slice(first + 1, last + 1);
    const asked = { server: clusterDns.ipv4, names: ["kubernetes.default.svc.cluster.local"], rate: 100 };
    const report = await load(await cluster().pod("client"), asked, async () => {
      for (const command of commands) {
        const { code, stderr } = await runDocumented(cluster(), command.replaceAll("dist/prod", folder), {});
        expect({ command, code, stderr }).toMatchObject({ code: 0 });
      }
      await allRolledOut(cluster(), uncached);
      await until("the end of the others", 120, async () => (await dnsPods()).length === 2);
      await sleep(2000);
    });
    tellLoad(`taking the place of a Deployment with pods of ${JSON.stringify(labels)}`, report);
    expectLostAtMost(report, { longestMs: 1000 });
    const parts = (await dnsPods()).map(({ metadata }) => metadata.labels?.["app.kubernetes.io/part-of"]);
    expect(parts).toEqual(["cluster-dns", "cluster-dns"]);
  });

  async function dnsPods(): Promise<KubernetesObject[]> {
    const pods = await cluster().kubectl.list("pods", "kube-system");
    return pods.filter(({ metadata }) => metadata.name.startsWith("coredns-"));
  }
});

/** Makes kubeadm's Deployment anew with pods that have these labels, and the Service select them. */
async function relabel({ kubectl }: Cluster, labels: Readonly<Record<string, string>>): Promise<void> {
  interface Deployment extends KubernetesObject {
    readonly spec: { readonly template: { readonly metadata: object } };
  }
  const is = await kubectl.get<Deployment>("deployment", "coredns", "kube-system");
  if (is === undefined) throw new Error("kubeadm installed no Deployment coredns");
  const { template } = is.spec;
  await kubectl.delete("deployment", "coredns", "kube-system");
  await kubectl.apply([
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "coredns", namespace: "kube-system", labels },
      spec: { ...is.spec, selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } },
    },
  ]);
  await kubectl.rolledOut("deployment", "coredns", "kube-system");
  const [key = "", value] = Object.entries(labels)[0] ?? [];
  const patch = JSON.stringify({ spec: { selector: { [key]: value } } });
  await kubectl.run(["patch", "service", "kube-dns", "-n", "kube-system", "-p", patch]);
}
