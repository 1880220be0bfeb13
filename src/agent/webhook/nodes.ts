import type { Taint } from "../../model/kubernetes/kinds";
import type { Node } from "../../model/placement/node";
import type { KubeClient, KubeObject } from "../kube/client";
import { Mirror } from "../kube/mirror";

/** The cluster's nodes, as far as placement is concerned. */
export function watchNodes(client: KubeClient, signal: AbortSignal, onError: (error: Error) => void): Mirror<Node> {
  const mirror = new Mirror(client, { path: "/api/v1/nodes", keep: toNode, signal, onError });
  void mirror.run();
  return mirror;
}

function toNode({ metadata, spec }: KubeObject): Node {
  const { taints = [], unschedulable = false } = (spec ?? {}) as { taints?: Taint[]; unschedulable?: boolean };
  return { name: metadata.name, labels: (metadata["labels"] ?? {}) as Node["labels"], taints, unschedulable };
}
