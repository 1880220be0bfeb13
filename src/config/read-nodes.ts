import { parse } from "yaml";
import { itemsOf, objectsOf } from "../model/kubernetes/list";
import type { Fields, KubernetesObject } from "../model/kubernetes/object";
import type { Node, Taint } from "../model/placement/node";
import type { RecordedCluster } from "../model/preflight/preflight";
import { isMapping } from "../model/syntax/mapping";

/** What `kubectl get nodes -o json` printed, or why it cannot be that. */
export type RecordedNodes = { readonly recorded: RecordedCluster } | { readonly problem: string };

/**
 * Reads nodes, and kube-proxy's mode if the list has its ConfigMap (`kubectl -n kube-system get nodes,configmaps -o
 * json`): nodes do not show it.
 */
export function readNodes(text: string): RecordedNodes {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `is not JSON (${error instanceof Error ? error.message : String(error)}); ${howToRecord}` };
  }
  const objects = itemsOf(value);
  const nodes = objects.filter(({ kind }) => kind === "Node");
  if (nodes.length === 0) return { problem: `has no node; ${howToRecord}` };
  const broken = nodes.findIndex((node) => !isNode(node));
  if (broken >= 0)
    return { problem: `node ${broken + 1} of ${nodes.length} is not as the API server writes it; ${howToRecord}` };
  return {
    recorded: {
      nodes: nodes.filter(isNode).map(toNode),
      kubeProxyModes: objectsOf(value)
        .filter(({ kind }) => kind === "ConfigMap")
        .flatMap(kubeProxyModes),
    },
  };
}

const howToRecord = "record it with `kubectl get nodes -o json`";

interface KubernetesNode extends Fields {
  readonly metadata: { readonly name: string; readonly labels?: Node["labels"] };
  readonly spec?: { readonly taints?: readonly Taint[]; readonly unschedulable?: boolean };
}

function isNode(node: Fields): node is KubernetesNode {
  const { metadata, spec = {} } = node;
  if (!isMapping(metadata) || typeof metadata["name"] !== "string" || !isMapping(spec)) return false;
  const { taints = [], unschedulable = false } = spec;
  const labels = metadata["labels"] ?? {};
  return (
    isMapping(labels) &&
    Object.values(labels).every((label) => typeof label === "string") &&
    typeof unschedulable === "boolean" &&
    Array.isArray(taints) &&
    taints.every((taint) => isMapping(taint) && typeof taint["key"] === "string" && typeof taint["effect"] === "string")
  );
}

function toNode({
  metadata: { name, labels = {} },
  spec: { taints = [], unschedulable = false } = {},
}: KubernetesNode): Node {
  return { name, labels, taints, unschedulable };
}

/**
 * Any ConfigMap that holds a KubeProxyConfiguration, such as kubeadm's kube-proxy (`config.conf`) or EKS's
 * kube-proxy-config (`config`).
 */
export function kubeProxyModes({ metadata, data }: KubernetesObject): RecordedCluster["kubeProxyModes"] {
  if (!isMapping(data)) return [];
  return Object.entries(data).flatMap(([key, text]) => {
    if (typeof text !== "string" || !text.includes("KubeProxyConfiguration")) return [];
    const configuration = parseConfiguration(text);
    if (!isMapping(configuration) || configuration["kind"] !== "KubeProxyConfiguration") return [];
    // kube-proxy on Linux defaults to iptables.
    const mode = String(configuration["mode"] || "iptables");
    // That of Windows nodes, beside another for Linux.
    if (mode === "kernelspace") return [];
    return [{ mode, source: `ConfigMap ${metadata.name} (${key})` }];
  });
}

function parseConfiguration(text: string): unknown {
  try {
    return parse(text);
  } catch {
    // Some other ConfigMap, which says nothing about kube-proxy.
    return undefined;
  }
}
