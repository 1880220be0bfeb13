import type { Container, Volume } from "cdk8s-plus-27/lib/imports/k8s";
import type { AgentConfig } from "../model/agent-config/agent-config";
import { fieldRef, confined, resources } from "./pod-parts";
import type { Plain } from "./api-object";

/** Text of the agent's configuration, in a ConfigMap under the key `config.json`. */
export function agentConfigText(config: AgentConfig): string {
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** A program of the agent that writes link, addresses and rules on its node. */
export function agentContainer(name: string, program: string, image: string, usesXtables: boolean): Plain<Container> {
  return {
    name,
    image,
    imagePullPolicy: "IfNotPresent",
    args: [program, "--config", "/etc/agent/config.json"],
    env: [{ name: "NODE_NAME", valueFrom: fieldRef("spec.nodeName") }],
    resources: resources({ requests: { cpu: "10m", memory: "64Mi" } }),
    // iptables-legacy opens a raw socket.
    securityContext: { ...confined(usesXtables ? ["NET_ADMIN", "NET_RAW"] : ["NET_ADMIN"]), runAsUser: 0 },
    volumeMounts: [
      { name: "agent-config", mountPath: "/etc/agent", readOnly: true },
      ...(usesXtables ? [{ name: "xtables-lock", mountPath: "/run/xtables.lock" }] : []),
    ],
  };
}

/** The volumes that `agentContainer` mounts. */
export function agentVolumes(configMapName: string, usesXtables: boolean): Plain<Volume>[] {
  return [
    {
      name: "agent-config",
      configMap: { name: configMapName, items: [{ key: "config.json", path: "config.json" }], defaultMode: 0o644 },
    },
    ...(usesXtables ? [{ name: "xtables-lock", hostPath: { path: "/run/xtables.lock", type: "FileOrCreate" } }] : []),
  ];
}
