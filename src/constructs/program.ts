import type { Container, Volume } from "cdk8s-plus-27/lib/imports/k8s";
import type { Plain } from "./plain";
import { nodeAddressVariable } from "../model/node-programs";
import type { NodeAgentSettings } from "../model/cluster/node-local-dns";
import { configVolume, confined, fieldRef, resources } from "./pod-parts";

/** `nonroot` of distroless images; anything but 0. */
export const nonRoot = 65532;

const configFolder = "/etc/agent";

/** The container of a program of the agent image, which reads its configuration from a ConfigMap. */
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

/** A configuration as text, for the key `config.json` of its ConfigMap. */
export function configText(config: object): string {
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** The container of a program that writes link, addresses and rules on its node. */
export function ruleWriter(
  name: "node-setup" | "watchdog" | "cleanup",
  { image }: NodeAgentSettings,
  usesXtables: boolean,
  ...args: readonly string[]
): Plain<Container> {
  return {
    ...program(name, image, ...args),
    env: [
      { name: "NODE_NAME", valueFrom: fieldRef("spec.nodeName") },
      ...(name === "watchdog" ? [{ name: nodeAddressVariable, valueFrom: fieldRef("status.hostIP") }] : []),
    ],
    resources: resources({ requests: { cpu: "10m", memory: "64Mi" } }),
    // iptables-legacy opens a raw socket.
    securityContext: { ...confined(usesXtables ? ["NET_ADMIN", "NET_RAW"] : ["NET_ADMIN"]), runAsUser: 0 },
    volumeMounts: [configMount("agent-config"), ...(usesXtables ? [xtablesLock.mount] : [])],
  };
}

/** The volumes that `ruleWriter` mounts. */
export function ruleWriterVolumes(configMapName: string, usesXtables: boolean): Plain<Volume>[] {
  return [configVolume("agent-config", configMapName, "config.json"), ...(usesXtables ? [xtablesLock.volume] : [])];
}

/** The lock that all iptables programs of a node share. */
export const xtablesLock = {
  volume: { name: "xtables-lock", hostPath: { path: "/run/xtables.lock", type: "FileOrCreate" } },
  mount: { name: "xtables-lock", mountPath: "/run/xtables.lock" },
} as const;
