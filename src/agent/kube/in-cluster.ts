import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeConnection } from "./client";

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** By address, so that finding it needs no DNS. @throws Error outside a pod, or in a pod without a token. */
export function inClusterConnection(): KubeConnection {
  const folder = process.env["SERVICE_ACCOUNT_FOLDER"] ?? serviceAccountFolder;
  const host = process.env["KUBERNETES_SERVICE_HOST"];
  const port = Number(process.env["KUBERNETES_SERVICE_PORT"]);
  if (!host || !port) {
    throw new Error(
      "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: run this in a pod; the kubelet sets them there",
    );
  }
  return {
    host,
    port,
    ca: readFileSync(join(folder, "ca.crt"), "utf8"),
    token: () => readFileSync(join(folder, "token"), "utf8").trim(),
  };
}
