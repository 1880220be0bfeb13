import type { WebhookConfig } from "../../model/admission/webhook-config";
import { readJsonFile } from "../json-file";

/** @throws Error that says what is wrong with the file. */
export function readWebhookConfig(path: string): WebhookConfig {
  const config = readJsonFile(path) as WebhookConfig;
  if (config.version !== 1)
    throw new Error(
      `${path}: version: got ${JSON.stringify(config.version)}, accepted: 1; use the image that belongs to the manifests`,
    );
  if (!config.port || !config.probePort || !config.certificates)
    throw new Error(`${path}: port, probePort and certificates are needed; render the manifests again`);
  return config;
}
