import { identity, type KubernetesObject } from "../kubernetes/object";
import { show } from "../syntax/show";
import { dense } from "../syntax/sparse";

/** Programs that write a Corefile say so in comments: ours will not have what they write later. */
export function otherWriters(configMap: KubernetesObject): string | undefined {
  const comment = /#[^\n]*(auto-?generated|do not edit|(added|managed|generated) by)[^\n]*/i;
  const [said] = dense(Object.values(configMap.data ?? {}).map((text) => comment.exec(text)?.[0]));
  if (said === undefined) return undefined;
  return `${identity(configMap)}: a program writes it (${show(said.trim())}), and will not write that of ours`;
}

/** Marks of somebody who may restore an object, or who made it once: labels of a domain that is not Kubernetes'. */
export function foreignMarks(object: KubernetesObject): string | undefined {
  const { labels, annotations } = object.metadata;
  const marks = Object.entries({ ...labels, ...annotations })
    .filter(([key]) => key.includes("/") && !harmless.test(key))
    .map(([key, value]) => `${key}=${value}`);
  if (marks.length === 0) return undefined;
  return `${identity(object)}: has marks of somebody (${show(marks.join(", "))}): set authoritativeDNS.kind: Existing if they restore it`;
}

/** Of Kubernetes itself, and of what only looks. */
const harmless = /^([^/]*\.)?(kubernetes\.io|k8s\.io|prometheus\.io|helm\.sh)\//;
