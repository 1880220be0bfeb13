// Namespaces whose pods may only ask the cluster's DNS, whatever answers them; each application adds its own policy.
import { ApiObject, App, Chart } from "cdk8s";
import { dnsEgress, type ClusterDnsProps } from "cdk8s-cluster-dns";

const cluster: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "ipvs" };
const namespaces = ["shop", "search"];

const app = new App({ outdir: process.env.OUT_DIR ?? "dist" });
const chart = new Chart(app, "default-deny", { disableResourceNameHashes: true });
for (const namespace of namespaces) {
  new ApiObject(chart, namespace, {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "only-dns", namespace },
    spec: { podSelector: {}, policyTypes: ["Egress"], egress: dnsEgress(cluster) },
  });
}
app.synth();
