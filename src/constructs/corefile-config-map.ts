import type { ApiObject } from "cdk8s";
import type { KubeConfigMapProps } from "cdk8s-plus-27/lib/imports/k8s";
import type { Construct } from "constructs";
import { configHash } from "../model/corefile/hash";
import { keep, wave } from "../model/gitops";
import type { ClusterFacts } from "../model/spec/cluster-facts";
import { addObject, namespace } from "./api-object";

/**
 * An immutable ConfigMap named by the hash of its Corefile: a changed Corefile rolls the pods, and one that fails leaves those
 * on the old one serving. It is kept when a GitOps controller no longer finds it in the repository, because a pod that
 * still runs on it needs it when its node restarts.
 */
export function corefileConfigMap(
  scope: Construct,
  facts: ClusterFacts,
  name: string,
  labels: { readonly [key: string]: string },
  corefile: string,
): ApiObject {
  return addObject<KubeConfigMapProps>(scope, facts, ["v1", "ConfigMap"], {
    metadata: { name: `${name}-${configHash(corefile)}`, namespace, labels, annotations: { ...wave("config"), ...keep } },
    immutable: true,
    data: { Corefile: corefile },
  });
}
