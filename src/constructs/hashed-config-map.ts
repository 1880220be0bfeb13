import type { ApiObject } from "cdk8s";
import type { KubeConfigMapProps } from "cdk8s-plus-27/lib/imports/k8s";
import type { Construct } from "constructs";
import { configHash } from "../model/corefile/hash";
import { keep, wave } from "../model/gitops";
import type { ClusterFacts } from "../model/props/cluster-facts";
import { addObject, namespace } from "./api-object";

export interface HashedConfigMapProps {
  /** The hash of `text` is appended. */
  readonly name: string;
  readonly labels: { readonly [key: string]: string };
  readonly key: string;
  readonly text: string;
}

/**
 * An immutable ConfigMap named by the hash of what it holds: a changed configuration rolls the pods, and one that fails leaves
 * those on the old one serving. It is kept when a GitOps controller no longer finds it in the repository, because a pod that
 * still runs on it needs it when its node restarts.
 */
export function hashedConfigMap(
  scope: Construct,
  facts: ClusterFacts,
  { name, labels, key, text }: HashedConfigMapProps,
): ApiObject {
  return addObject<KubeConfigMapProps>(scope, facts, ["v1", "ConfigMap"], {
    metadata: { name: `${name}-${configHash(text)}`, namespace, labels, annotations: { ...wave("config"), ...keep } },
    immutable: true,
    data: { [key]: text },
  });
}
