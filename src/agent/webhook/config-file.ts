import { readFileSync } from "node:fs";
import type { WebhookConfig } from "../../model/admission/webhook/webhook-config";

/**
 * The file that the construct `Webhook` wrote.
 * @throws Error that says what it is instead.
 */
export function readWebhookConfig(path: string): WebhookConfig {
  let config: Partial<WebhookConfig>;
  try {
    config = JSON.parse(readFileSync(path, "utf8")) as Partial<WebhookConfig>;
  } catch (error) {
    throw new Error(
      `${path}: ${(error as Error).message}; mount the webhook's ConfigMap there or name the file with --config`,
      { cause: error },
    );
  }
  const { version, port, probePort, certificates } = config;
  if (version !== 1)
    throw new Error(
      `${path}: version: got ${JSON.stringify(version)}, accepted: 1; use the image that belongs to the manifests`,
    );
  if (!port || !probePort || !certificates)
    throw new Error(`${path}: port, probePort and certificates are needed; render the manifests again`);
  return config as WebhookConfig;
}
