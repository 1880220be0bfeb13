import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { renderCluster } from "../../src/charts/render-cluster";
import { takeOver } from "../../src/live/take-over/take-over";
import { readState } from "../../src/live/read-state";
import { renderedDifferently } from "../../src/live/rendered-differently";
import { resolve } from "../../src/model/check/resolve";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { readText, root } from "../repository";

const dist = join(root, "dist");

interface Item {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** What `kubectl get` would print of a cluster: our objects, and what Kubernetes itself has. */
function live(name: string): { readonly text: string; readonly components: { [component: string]: Item[] } } {
  const file = readText(`clusters/${name}.yaml`);
  const { kubeProxyMode, cni, kubernetesVersion } = parse(file) as ClusterDnsProps;
  const folders = readdirSync(join(dist, name)).filter((folder) => !/kubelet|gitops|\.yaml$|\.record$/.test(folder));
  const components = Object.fromEntries(folders.map((folder) => [folder, objectsIn(join(dist, name, folder))]));
  const kubeletVersion = `v${kubernetesVersion ?? "1.29"}.0`;
  const items = [
    ...Object.values(components).flat(),
    { kind: "Node", metadata: { name: "a" }, status: { nodeInfo: { kubeletVersion } } },
    configMap("kube-proxy", { config: `kind: KubeProxyConfiguration\nmode: ${kubeProxyMode}\n` }),
    ...(cni === "cilium" ? [configMap("cilium-config", { "kube-proxy-replacement": "true" })] : []),
  ];
  return { text: JSON.stringify({ kind: "List", items }), components };
}

function objectsIn(folder: string): Item[] {
  const files = readdirSync(folder).filter((file) => file !== "kustomization.yaml");
  return files.map((file) => parse(readFileSync(join(folder, file), "utf8")) as Item);
}

function configMap(name: string, data: object) {
  return { kind: "ConfigMap", metadata: { name, namespace: "kube-system" }, data };
}

/** A cluster file made from a cluster has no `monitoring`, but annotations in place of monitors. */
const bothDaemonSets = ["DaemonSet node-local-dns", "DaemonSet node-local-dns-watchdog"];
const withMonitors = [...bothDaemonSets, "Service kube-dns"];

/** What a cluster file made from a cluster does not render as it is there; the reason is in the cluster's file. */
const unlikeThere: { readonly [cluster: string]: readonly string[] } = {
  admission: [
    ...withMonitors,
    "Deployment coredns",
    "Deployment cluster-dns-webhook",
    "Service cluster-dns-webhook",
    "Service cluster-dns-webhook-metrics",
    "Service node-local-dns-watchdog-metrics",
  ],
  cilium: ["DaemonSet node-local-dns"],
  "dns-only": ["Deployment coredns", "Deployment dns-autoscaler"],
  edge: ["DaemonSet node-local-dns", "Deployment coredns"],
  federation: ["Deployment coredns", "Service cluster-dns-smoke-test"],
  "infra-nodes": [...withMonitors, "DaemonSet node-resolver"],
  "isolated-tenants": ["Deployment coredns", "Deployment dns-autoscaler"],
  large: bothDaemonSets,
  "multi-tenant": ["Deployment coredns", "Service cluster-dns-smoke-test"],
  "nftables-dual-stack": [...bothDaemonSets, "Service cluster-dns-smoke-test"],
};

describe("a cluster file made from what one of ours rendered", () => {
  // Without a DNS Service, it cannot know clusterDNS.
  it.each(readdirSync(dist).filter((name) => !["existing-dns", "openshift"].includes(name)))(
    "renders the same, or says what not: %s",
    (name) => {
      const { text, components } = live(name);
      const { description, notes, ours } = takeOver(readState(text));
      const { cluster, problems } = resolve(description);
      expect(problems).toBeUndefined();
      expect(notes.filter(({ topic, what }) => topic === "different" && what.startsWith("D"))).toEqual([]);
      if (!cluster) return;

      const listed = renderedDifferently(cluster, ours).map((line) => line.split(":", 1)[0] ?? "");
      expect(listed.sort()).toEqual([...(unlikeThere[name] ?? [])].sort());

      const again = new Map(renderCluster(cluster).components.map((each) => [each.name, each.objects]));
      const isSeen = ({ kind }: Item) => /^(Deployment|DaemonSet|Service)$/.test(kind);
      for (const [component, objects] of Object.entries(components).filter(([, all]) => all.some(isSeen))) {
        const isListed = objects.some(({ kind, metadata }) => listed.includes(`${kind} ${metadata.name}`));
        if (!isListed) expect(byName(again.get(component) ?? [])).toEqual(byName(objects));
      }
    },
  );

  it("bears with what the API server adds, and drops because it is empty", () => {
    const { cluster } = resolve({ clusterDNS: ["10.96.0.10"], kubeProxyMode: "none" });
    if (!cluster) throw new Error("not a cluster");
    const objects = renderCluster(cluster).components.flatMap((component) => component.objects);
    const printed = JSON.stringify(objects);
    const unlike = (text: string) => renderedDifferently(cluster, JSON.parse(text) as typeof objects);
    const stored = printed
      .replaceAll('"tolerations":[],', "")
      .replaceAll('"revisionHistoryLimit"', '"progressDeadlineSeconds":600,$&')
      .replaceAll(
        '"containers":',
        '"dnsPolicy":"ClusterFirst","restartPolicy":"Always","serviceAccount":"x","securityContext":{},$&',
      )
      .replaceAll('"template":{"metadata":{', '$&"annotations":{"kubectl.kubernetes.io/restartedAt":"x"},')
      .replaceAll('"selector":', '"clusterIPs":["10.96.0.10"],"sessionAffinity":"None",$&');
    expect(stored).not.toBe(printed);
    expect(unlike(stored)).toEqual([]);
    const replicas = "Deployment coredns: spec.replicas is 3, the new file renders 2";
    expect(unlike(printed.replace('"replicas":2', '"replicas":3'))).toEqual([replicas]);
    const chosen = printed.replace('"kubernetes.io/os":', '"dns":"yes",$&').replace('"dnsPolicy":"Default",', "");
    expect(unlike(chosen)).toEqual([
      'Deployment coredns: spec.template.spec.nodeSelector.dns is "yes", the new file renders nothing there; spec.template.spec.dnsPolicy is not set, the new file renders "Default"',
    ]);
    const all = ["Service kube-dns", "Deployment coredns"];
    expect(unlike("[]")).toEqual(all.map((each) => `${each}: would be new`));
  });
});

function byName(objects: readonly Item[]): unknown {
  return Object.fromEntries(objects.map((o) => [`${o.kind} ${o.metadata.name}`, JSON.parse(JSON.stringify(o))]));
}
