// A cdk8s app of one's own: the whole DNS in one chart, beside another object, with a patch.
import { ApiObject, App, Chart, JsonPatch } from "cdk8s";
import { ClusterDns } from "cdk8s-cluster-dns";

const app = new App({ outdir: process.env.OUT_DIR ?? "dist" });
const chart = new Chart(app, "platform");

const dns = new ClusterDns(chart, "dns", {
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "iptables",
  agentImage: "registry.example/cluster-dns-agent:0.1.0",
  stubDomains: { "corp.example": ["10.1.2.3"] },
  authoritativeDNS: { replicas: 3 },
});
dns.authoritativeDns?.workload.addJsonPatch(JsonPatch.add("/metadata/labels/owner", "platform"));

new ApiObject(chart, "note", {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "note", namespace: "kube-system" },
  data: { nameservers: dns.kubeletConfiguration.clusterDNS.join(",") },
});

app.synth();
