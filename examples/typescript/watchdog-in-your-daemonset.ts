// The watchdog as one more container of a DaemonSet that manages the nodes' network already, in place of its own.
import { ApiObject, App, Chart } from "cdk8s";
import { ClusterDns } from "cdk8s-cluster-dns";

const app = new App({ outdir: process.env.OUT_DIR ?? "dist" });
const chart = new Chart(app, "network", { disableResourceNameHashes: true });

const { watchdog } = new ClusterDns(chart, "dns", {
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "iptables",
  agentImage: "registry.example/cluster-dns-agent:0.1.0",
});
if (!watchdog) throw new Error("nothing to watch");

const { metadata, spec } = watchdog.daemonSet.toJson().spec.template;
for (const { node } of [watchdog.daemonSet, watchdog.serviceAccount]) watchdog.node.tryRemoveChild(node.id);

const labels = { "k8s-app": "network-agent" };
new ApiObject(chart, "network-agent", {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "network-agent", namespace: "kube-system" },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels, annotations: metadata.annotations },
      spec: {
        // The watchdog needs these: the node's network, every node, and to be there before other pods.
        hostNetwork: true,
        priorityClassName: spec.priorityClassName,
        tolerations: spec.tolerations,
        nodeSelector: spec.nodeSelector,
        containers: [{ name: "network-agent", image: "registry.example/network-agent:1" }, ...spec.containers],
        volumes: spec.volumes,
      },
    },
  },
});

app.synth();
