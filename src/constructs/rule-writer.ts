import type { Container, Volume } from "cdk8s-plus-27/lib/imports/k8s";
import { nodeAddressVariable } from "../model/node-programs";
import type { NodeAgentSettings } from "../model/cluster/node-local-dns";
import type { Plain } from "./plain";
import { configVolume, confined, fieldRef, resources } from "./pod-parts";

/** An agent's configuration as text, for the key `config.json` of a ConfigMap. */
export function agentConfigText({ config }: NodeAgentSettings): string {
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** The container of a program that writes link, addresses and rules on its node. */
export function ruleWriter(
  program: "node-setup" | "watchdog" | "cleanup",
  { image }: NodeAgentSettings,
  usesXtables: boolean,
  args: readonly string[] = [],
): Plain<Container> {
  return {
    name: program,
    image,
    imagePullPolicy: "IfNotPresent",
    args: [program, "--config", "/etc/agent/config.json", ...args],
    env: [
      { name: "NODE_NAME", valueFrom: fieldRef("spec.nodeName") },
      ...(program === "watchdog" ? [{ name: nodeAddressVariable, valueFrom: fieldRef("status.hostIP") }] : []),
    ],
    resources: resources({ requests: { cpu: "10m", memory: "64Mi" } }),
    // iptables-legacy opens a raw socket.
    securityContext: { ...confined(usesXtables ? ["NET_ADMIN", "NET_RAW"] : ["NET_ADMIN"]), runAsUser: 0 },
    volumeMounts: [
      { name: "agent-config", mountPath: "/etc/agent", readOnly: true },
      ...(usesXtables ? [xtablesLock.mount] : []),
    ],
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
