import type { Cluster } from "../../../../rig/cluster/cluster";
import { kubernetesSuite } from "./suite";
import { installByKubeadm } from "../../lib/other-dns";

// These change the Corefile in ConfigMap `coredns`, which kubeadm's CoreDNS reads, and ours does not.
kubernetesSuite({
  proxyMode: "iptables",
  ipFamilies: "IPv4",
  interception: "service-ip",
  existing: { install, cases: /DNS configMap nameserver Forward/ },
});

async function install(cluster: Cluster): Promise<void> {
  await installByKubeadm(cluster);
  // they also ask for the name of a public resolver
  await cluster.controlPlane.stop("outside-dns");
  cluster.controlPlane.startDns("outside-dns", ". {\n  hosts {\n    8.8.8.8 dns.google\n  }\n}\n");
}
