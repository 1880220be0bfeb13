import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { clusterDns } from "../../../../rig/cluster/addresses";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { ArgoCd } from "../../../../rig/gitops/argocd";
import { consoleProgress } from "../../../../rig/progress";
import { until } from "../../../../rig/until";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { useCluster } from "../../lib/use-cluster";
import { readText } from "../../../../rig/repository";

const cluster = useCluster({ apiServerOnly: "1.37", nodes: 0 });
/** Where each cluster's API server is, as Argo CD knows it. */
const servers = new Map<string, string>();
let argoCd: ArgoCd;

beforeAll(async () => {
  const { controlPlane, kubectl } = cluster();
  argoCd = await ArgoCd.start(cluster(), consoleProgress());
  await argoCd.believeInHealth();
  for (const [name, port] of [
    ["canary", 6444],
    ["east", 6445],
  ] as const) {
    const server = await controlPlane.startAnotherApi(name, port);
    servers.set(name, server);
    await kubectl.apply([known(name, server)]);
  }
  await kubectl.apply([
    {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "AppProject",
      metadata: { name: "default", namespace: "argocd" },
      spec: {
        sourceRepos: ["*"],
        destinations: [{ server: "*", namespace: "*" }],
        clusterResourceWhitelist: [{ group: "*", kind: "*" }],
      },
    },
  ]);
});

it("one Application makes those of all clusters, and brings a commit to the canary first", async () => {
  const { fleet } = argoCd;
  synth({});
  await fleet.commit();
  await fleet.git("branch", "stable");
  await cluster().kubectl.apply([fromDocs("Application")]);
  for (const name of servers.keys()) await untilTtl(name, 30);

  synth({ authoritativeDNS: { ttl: 20 } });
  const next = await fleet.commit();
  await argoCd.compare();
  await untilTtl("canary", 20);
  await argoCd.compare();
  const { sync } = (await argoCd.application("east"))?.status ?? {};
  expect(sync).toMatchObject({ status: "Synced" });
  expect(sync?.revision).not.toBe(next);
  await untilTtl("east", 30);

  await fleet.git("branch", "--force", "stable", "main");
  await argoCd.compare();
  await untilTtl("east", 20);
});

it("an ApplicationSet makes the same of each of 14 folders, and leaves them when it goes", async () => {
  const { kubectl } = cluster();
  for (let i = servers.size; i < 14; i++) render(`unreachable-${i}`, `https://unreachable-${i}.test`, {});
  synth({ authoritativeDNS: { ttl: 25 } });
  await argoCd.fleet.commit();
  await argoCd.fleet.git("branch", "--force", "stable", "main");
  await kubectl.delete("application", "cluster-dns", "argocd");
  for (const name of servers.keys()) await kubectl.delete("application", `cluster-dns-${name}`, "argocd");
  await argoCd.startApplicationSets();
  await kubectl.apply([fromDocs("ApplicationSet")]);
  for (const name of servers.keys()) await untilTtl(name, 25);
  await until("an Application for each cluster", 180, async () => {
    const names = (await applications()).map(({ metadata }) => metadata.name);
    if (names.length !== 14) throw new Error(`there are ${names.join(", ")}`);
    return true;
  });

  await kubectl.delete("applicationset", "cluster-dns", "argocd");
  await kubectl.delete("application", "cluster-dns-objects-east", "argocd"); // as the garbage collector would
  expect(await applications()).toHaveLength(14);
});

/** Those that apply the DNS of a cluster. */
async function applications(): Promise<readonly KubernetesObject[]> {
  const all = await cluster().kubectl.list("applications.argoproj.io", "argocd");
  return all.filter(({ metadata }) => /^cluster-dns-(?!objects)/.test(metadata.name));
}

function synth(edit: Partial<ClusterDnsProps>): void {
  for (const [name, server] of servers) render(name, server, edit);
}

function render(name: string, server: string, edit: Partial<ClusterDnsProps>): void {
  const targetRevision = name === "canary" ? "main" : "stable";
  const gitops = { argocd: { repoURL: argoCd.fleet.url, targetRevision, server } };
  const nodeLocalDNS = { state: "disabled" } as const;
  argoCd.fleet.synth({ clusterDNS: [clusterDns.ipv4], kubeProxyMode: "iptables", nodeLocalDNS, gitops, ...edit }, name);
}

/** Waits until a cluster's CoreDNS has a Corefile with this TTL. */
async function untilTtl(name: string, ttl: number): Promise<void> {
  const read = ["--server", servers.get(name) ?? "", "get", "-n", "kube-system", "-o", "json"];
  await until(`a TTL of ${ttl} in cluster ${name}`, 120, async () => {
    const deployment = await cluster().kubectl.run([...read, "deployment", "coredns"]);
    const [, configMap] = /"name": "(coredns-[0-9a-f]{10})"/.exec(deployment) ?? [];
    return (await cluster().kubectl.run([...read, "configmap", configMap ?? ""])).includes(`ttl ${ttl}\\n`);
  });
}

/** The object of this kind in docs/gitops.md. */
function fromDocs(kind: string): KubernetesObject {
  const begin = `apiVersion: argoproj.io/v1alpha1\nkind: ${kind}\n`;
  const text =
    readText("docs/gitops.md")
      .split("```")
      .find((block) => block.includes(begin)) ?? "";
  const yaml = text.slice(text.indexOf(begin)).replaceAll(/repoURL: [^ ,\n]+/g, `repoURL: ${argoCd.fleet.url}`);
  return parse(yaml) as KubernetesObject;
}

/** A cluster of Argo CD. */
function known(name: string, server: string): KubernetesObject {
  const pki = (file: string) => readFileSync(cluster().names.file("pki", file)).toString("base64");
  const tlsClientConfig = { caData: pki("ca.crt"), certData: pki("admin.crt"), keyData: pki("admin.key") };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: "argocd", labels: { "argocd.argoproj.io/secret-type": "cluster" } },
    stringData: { name, server, config: JSON.stringify({ tlsClientConfig }) },
  };
}
