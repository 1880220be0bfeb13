import type { Container, Volume } from "cdk8s-plus-27/lib/imports/k8s";
import { nodeAddressVariable } from "../model/node-programs";
import type { NodeAgentSettings } from "../model/cluster/node-local-dns";
import type { Plain } from "./plain";
import { configVolume, confined, fieldRef, resources } from "./pod-parts";
import { configMount, program } from "./program";

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

export function ruleWriterVolumes(configMapName: string, usesXtables: boolean): Plain<Volume>[] {
  return [configVolume("agent-config", configMapName, "config.json"), ...(usesXtables ? [xtablesLock.volume] : [])];
}

/** The lock that all iptables programs of a node share. */
export const xtablesLock = {
  volume: { name: "xtables-lock", hostPath: { path: "/run/xtables.lock", type: "FileOrCreate" } },
  mount: { name: "xtables-lock", mountPath: "/run/xtables.lock" },
} as const;
