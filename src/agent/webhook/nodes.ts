import { asPlace, type Node } from "../../model/placement/node";
import type { KubeClient } from "../kube/client";
import { Mirror } from "../kube/mirror";

export function watchNodes(client: KubeClient, signal: AbortSignal, onError: (error: Error) => void): Mirror<Node> {
  const keep = (object: object) => asPlace(object as Parameters<typeof asPlace>[0]);
  const mirror = new Mirror(client, { path: "/api/v1/nodes", keep, signal, onError });
  void mirror.run();
  return mirror;
}
