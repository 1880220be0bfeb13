import { readFileSync, writeFileSync } from "node:fs";
import { apiPort, controlPlane } from "./addresses";
import type { Cluster } from "./cluster";

/** Writes a kubeconfig with the rights of a service account, so that a program beside the cluster is to it one inside. */
export async function serviceAccountConfig(cluster: Cluster, namespace: string, name: string): Promise<string> {
  const token = await cluster.kubectl.run(["create", "token", "-n", namespace, name, "--duration=24h"]);
  const authority = readFileSync(cluster.names.file("pki", "ca.crt")).toString("base64");
  const server = `https://${controlPlane.ipv4.address}:${apiPort}`;
  const path = cluster.names.file(`${name}.conf`);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "cluster",
    clusters: [{ name: "cluster", cluster: { server, "certificate-authority-data": authority } }],
    users: [{ name, user: { token: token.trim() } }],
    contexts: [{ name: "cluster", context: { cluster: "cluster", user: name, namespace } }],
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}
