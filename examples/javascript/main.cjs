// One component alone, from JavaScript: the cache for a cluster whose DNS somebody else runs.
const { App, Chart } = require("cdk8s");
const { NodeLocalDns } = require("cdk8s-cluster-dns");

const app = new App({ outdir: process.env.OUT_DIR ?? "dist" });
const cache = new NodeLocalDns(new Chart(app, "node-local-dns"), "cache", {
  clusterDNS: ["10.100.0.10"],
  kubeProxyMode: "iptables",
  agentImage: "registry.example/cluster-dns-agent:0.1.0",
  nodeLocalDNS: { cache: { serveStale: "1h" } },
});
console.log(`pods ask ${cache.queryPath.podNameservers}, the cache listens on ${cache.queryPath.listenAddresses}`);
app.synth();
