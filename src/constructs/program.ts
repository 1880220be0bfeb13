import type { Container } from "cdk8s-plus-27/lib/imports/k8s";
import type { Plain } from "./plain";

/** `nonroot` of distroless images; anything but 0. */
export const nonRoot = 65532;

const configFolder = "/etc/agent";

export function program(
  name: string,
  image: string,
  ...args: readonly string[]
): Plain<Pick<Container, "name" | "image" | "imagePullPolicy" | "args">> {
  const all = [name, "--config", `${configFolder}/config.json`, ...args];
  return { name, image, imagePullPolicy: "IfNotPresent", args: all };
}

/** Where such a container has that configuration. @param name Of the volume. */
export function configMount(name: string) {
  return { name, mountPath: configFolder, readOnly: true } as const;
}

export function configText(config: object): string {
  return `${JSON.stringify(config, null, 2)}\n`;
}
